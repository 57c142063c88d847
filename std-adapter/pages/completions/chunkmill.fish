# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_chunkmill_global_optspecs
    string join \n h/help V/version
end

function __fish_chunkmill_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_chunkmill_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_chunkmill_using_subcommand
    set -l cmd (__fish_chunkmill_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c chunkmill -n "__fish_chunkmill_needs_command" -s h -l help -d 'Print help'
complete -c chunkmill -n "__fish_chunkmill_needs_command" -s V -l version -d 'Print version'
complete -c chunkmill -n "__fish_chunkmill_needs_command" -f -a "bench" -d 'Measure this machine beside the peers: cutting, hashing, compressing, and whole runs'
complete -c chunkmill -n "__fish_chunkmill_needs_command" -f -a "calibrate" -d 'Measure from which size on more threads pay on this machine, for wall time and for CPU time'
complete -c chunkmill -n "__fish_chunkmill_needs_command" -f -a "hash" -d 'Keyed BLAKE3 of whole files, a line each, as `b3sum --keyed` prints it'
complete -c chunkmill -n "__fish_chunkmill_needs_command" -f -a "keygen" -d 'Make a new secret key of 32 random bytes'
complete -c chunkmill -n "__fish_chunkmill_needs_command" -f -a "ls" -d 'List the records of a pack'
complete -c chunkmill -n "__fish_chunkmill_needs_command" -f -a "pack" -d 'Write a stream into a pack: chunked, each chunk once, compressed'
complete -c chunkmill -n "__fish_chunkmill_needs_command" -f -a "scan" -d 'Cut files into chunks and id them: how many, how many of them distinct, and at what cost'
complete -c chunkmill -n "__fish_chunkmill_needs_command" -f -a "unpack" -d 'Write the stream that a pack was made of'
complete -c chunkmill -n "__fish_chunkmill_needs_command" -f -a "verify" -d 'Check every byte of a pack'
complete -c chunkmill -n "__fish_chunkmill_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand bench" -l size -d 'Bytes of each row; text has an eighth or a quarter of them [default: 1GiB, or 256MiB with --quick]' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand bench" -l threads -d 'Threads of the rows with more than one [default: as many as the CPU runs at once, at most 4]' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand bench" -l chunking -d 'Cut points alone, of bytes in memory'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand bench" -l hashing -d 'Keyed hashes of slices in memory: ours, BLAKE3, BLAKE2b-256, HMAC-SHA-256'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand bench" -l compressing -d 'LZ4 of text and of random bytes'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand bench" -l pipeline -d 'Files scanned, packed and verified'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand bench" -l json -d 'Print JSON'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand bench" -l quick -d 'Half of the rounds, and a quarter of the bytes'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand bench" -s h -l help -d 'Print help'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand calibrate" -l runs -d 'Runs of each length' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand calibrate" -l margin -d 'Percent by which splitting must be faster to be worth it' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand calibrate" -l max-cpu-overhead -d 'Percent of CPU time that the balanced objective may cost more' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand calibrate" -l threads -d 'Each number of threads from 2 to this one is measured [default: as many as the CPU runs at once, at most 4]' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand calibrate" -l json -d 'Write the figures to a file' -r -F
complete -c chunkmill -n "__fish_chunkmill_using_subcommand calibrate" -l svg -d 'Draw the figures as an SVG picture' -r -F
complete -c chunkmill -n "__fish_chunkmill_using_subcommand calibrate" -l html -d 'Write a page with pictures, figures and thresholds' -r -F
complete -c chunkmill -n "__fish_chunkmill_using_subcommand calibrate" -l from-json -d 'Show the figures of such a file again, and measure nothing' -r -F
complete -c chunkmill -n "__fish_chunkmill_using_subcommand calibrate" -l quick -d 'Fewer lengths and runs: some seconds'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand calibrate" -l thorough -d 'More lengths and runs: half a minute or more'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand calibrate" -l save -d 'Keep the thresholds: later runs on this machine use them unless told otherwise'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand calibrate" -s h -l help -d 'Print help'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand hash" -l key-file -d 'File with the id key, or `-`: 32 raw bytes or 64 hex digits [else: CHUNKMILL_KEY, 64 hex digits; else a public key]' -r -F
complete -c chunkmill -n "__fish_chunkmill_using_subcommand hash" -l threads -d 'Threads: 1 to 64, or auto for as many as the CPU runs at once, at most 4' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand hash" -l objective -d 'What matters most: the time, the CPU bill, or both' -r -f -a "balanced\t'More threads where they save much time for little more CPU'
cpu\t'The smallest CPU bill: one thread'
wall\t'The shortest time'"
complete -c chunkmill -n "__fish_chunkmill_using_subcommand hash" -l gate -d 'KiB of work from which more than one thread is used: 0 always [default: by objective; or CHUNKMILL_MT_THRESHOLD]' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand hash" -l cpu-limit -d 'Use no more than this much CPU on average; 100 is one CPU, a percent sign may follow' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand hash" -l memory -d 'Memory for buffers' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand hash" -l background -d 'Give way to all other work: nice 19 and idle I/O'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand hash" -l quiet -d 'No progress line'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand hash" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand keygen" -s o -l output -d 'Where to write the key; must not be there yet. `-` writes to standard output' -r -F
complete -c chunkmill -n "__fish_chunkmill_using_subcommand keygen" -s h -l help -d 'Print help'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand ls" -l format -d 'What to print' -r -f -a "human\t'A line for each record'
jsonl\t'A JSON object for each record, then one with the totals'"
complete -c chunkmill -n "__fish_chunkmill_using_subcommand ls" -l key-file -d 'File with the id key, or `-`: 32 raw bytes or 64 hex digits [else: CHUNKMILL_KEY, 64 hex digits; else a public key]' -r -F
complete -c chunkmill -n "__fish_chunkmill_using_subcommand ls" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -s o -l output -d 'The pack; appears under its name only when it is whole and on the disk' -r -F
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l compression -d 'How chunks are compressed' -r -f -a "lz4\t'As LZ4 frames, where that saves at least a sixteenth'
none\t'Not at all'"
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l format -d 'How to print the summary' -r -f -a "human\t'A table'
json\t'A JSON object'"
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l min -d 'Smallest chunk [default: a quarter of the average, 512KiB]' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l avg -d 'Average chunk; random data gives chunks of about 1.2 times that' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l max -d 'Largest chunk [default: four times the average, 8MiB]' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l level -d 'Normalization, 0 to 3: the higher, the closer chunks are to the average' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l seed -d 'Seed of the gear table; another seed cuts elsewhere' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l key-file -d 'File with the id key, or `-`: 32 raw bytes or 64 hex digits [else: CHUNKMILL_KEY, 64 hex digits; else a public key]' -r -F
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l threads -d 'Threads: 1 to 64, or auto for as many as the CPU runs at once, at most 4' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l objective -d 'What matters most: the time, the CPU bill, or both' -r -f -a "balanced\t'More threads where they save much time for little more CPU'
cpu\t'The smallest CPU bill: one thread'
wall\t'The shortest time'"
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l gate -d 'KiB of work from which more than one thread is used: 0 always [default: by objective; or CHUNKMILL_MT_THRESHOLD]' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l cpu-limit -d 'Use no more than this much CPU on average; 100 is one CPU, a percent sign may follow' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l memory -d 'Memory for buffers' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l force -d 'Write over a file that is there'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l keyed-gear -d 'Cut by a gear table made from the key: it hides where known content would be cut'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l background -d 'Give way to all other work: nice 19 and idle I/O'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -l quiet -d 'No progress line'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand pack" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l format -d 'What to print' -r -f -a "human\t'A table of totals'
jsonl\t'A JSON object for each chunk, then one with the totals'
csv\t'path,offset,length,id'"
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l histogram -d 'Draw the chunk sizes as an SVG picture' -r -F
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l min -d 'Smallest chunk [default: a quarter of the average, 512KiB]' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l avg -d 'Average chunk; random data gives chunks of about 1.2 times that' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l max -d 'Largest chunk [default: four times the average, 8MiB]' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l level -d 'Normalization, 0 to 3: the higher, the closer chunks are to the average' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l seed -d 'Seed of the gear table; another seed cuts elsewhere' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l key-file -d 'File with the id key, or `-`: 32 raw bytes or 64 hex digits [else: CHUNKMILL_KEY, 64 hex digits; else a public key]' -r -F
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l threads -d 'Threads: 1 to 64, or auto for as many as the CPU runs at once, at most 4' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l objective -d 'What matters most: the time, the CPU bill, or both' -r -f -a "balanced\t'More threads where they save much time for little more CPU'
cpu\t'The smallest CPU bill: one thread'
wall\t'The shortest time'"
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l gate -d 'KiB of work from which more than one thread is used: 0 always [default: by objective; or CHUNKMILL_MT_THRESHOLD]' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l cpu-limit -d 'Use no more than this much CPU on average; 100 is one CPU, a percent sign may follow' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l memory -d 'Memory for buffers' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l chunks -d 'List each chunk before the table of totals'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l keyed-gear -d 'Cut by a gear table made from the key: it hides where known content would be cut'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l background -d 'Give way to all other work: nice 19 and idle I/O'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -l quiet -d 'No progress line'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand scan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand unpack" -s o -l output -d 'Where to write the stream, or `-` for standard output. A file appears under its name only when it is whole' -r -F
complete -c chunkmill -n "__fish_chunkmill_using_subcommand unpack" -l format -d 'How to print the summary' -r -f -a "human\t'A table'
json\t'A JSON object'"
complete -c chunkmill -n "__fish_chunkmill_using_subcommand unpack" -l key-file -d 'File with the id key, or `-`: 32 raw bytes or 64 hex digits [else: CHUNKMILL_KEY, 64 hex digits; else a public key]' -r -F
complete -c chunkmill -n "__fish_chunkmill_using_subcommand unpack" -l threads -d 'Threads: 1 to 64, or auto for as many as the CPU runs at once, at most 4' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand unpack" -l objective -d 'What matters most: the time, the CPU bill, or both' -r -f -a "balanced\t'More threads where they save much time for little more CPU'
cpu\t'The smallest CPU bill: one thread'
wall\t'The shortest time'"
complete -c chunkmill -n "__fish_chunkmill_using_subcommand unpack" -l gate -d 'KiB of work from which more than one thread is used: 0 always [default: by objective; or CHUNKMILL_MT_THRESHOLD]' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand unpack" -l cpu-limit -d 'Use no more than this much CPU on average; 100 is one CPU, a percent sign may follow' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand unpack" -l memory -d 'Memory for buffers' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand unpack" -l force -d 'Write over a file that is there'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand unpack" -l partial -d 'Of a pack that is damaged or cut off, keep all that was verified before the damage'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand unpack" -l sparse -d 'Leave holes in the file where the stream has whole blocks of zeros'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand unpack" -l background -d 'Give way to all other work: nice 19 and idle I/O'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand unpack" -l quiet -d 'No progress line'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand unpack" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand verify" -l format -d 'How to print the summary' -r -f -a "human\t'A table'
json\t'A JSON object'"
complete -c chunkmill -n "__fish_chunkmill_using_subcommand verify" -l key-file -d 'File with the id key, or `-`: 32 raw bytes or 64 hex digits [else: CHUNKMILL_KEY, 64 hex digits; else a public key]' -r -F
complete -c chunkmill -n "__fish_chunkmill_using_subcommand verify" -l threads -d 'Threads: 1 to 64, or auto for as many as the CPU runs at once, at most 4' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand verify" -l objective -d 'What matters most: the time, the CPU bill, or both' -r -f -a "balanced\t'More threads where they save much time for little more CPU'
cpu\t'The smallest CPU bill: one thread'
wall\t'The shortest time'"
complete -c chunkmill -n "__fish_chunkmill_using_subcommand verify" -l gate -d 'KiB of work from which more than one thread is used: 0 always [default: by objective; or CHUNKMILL_MT_THRESHOLD]' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand verify" -l cpu-limit -d 'Use no more than this much CPU on average; 100 is one CPU, a percent sign may follow' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand verify" -l memory -d 'Memory for buffers' -r
complete -c chunkmill -n "__fish_chunkmill_using_subcommand verify" -l background -d 'Give way to all other work: nice 19 and idle I/O'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand verify" -l quiet -d 'No progress line'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand help; and not __fish_seen_subcommand_from bench calibrate hash keygen ls pack scan unpack verify help" -f -a "bench" -d 'Measure this machine beside the peers: cutting, hashing, compressing, and whole runs'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand help; and not __fish_seen_subcommand_from bench calibrate hash keygen ls pack scan unpack verify help" -f -a "calibrate" -d 'Measure from which size on more threads pay on this machine, for wall time and for CPU time'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand help; and not __fish_seen_subcommand_from bench calibrate hash keygen ls pack scan unpack verify help" -f -a "hash" -d 'Keyed BLAKE3 of whole files, a line each, as `b3sum --keyed` prints it'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand help; and not __fish_seen_subcommand_from bench calibrate hash keygen ls pack scan unpack verify help" -f -a "keygen" -d 'Make a new secret key of 32 random bytes'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand help; and not __fish_seen_subcommand_from bench calibrate hash keygen ls pack scan unpack verify help" -f -a "ls" -d 'List the records of a pack'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand help; and not __fish_seen_subcommand_from bench calibrate hash keygen ls pack scan unpack verify help" -f -a "pack" -d 'Write a stream into a pack: chunked, each chunk once, compressed'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand help; and not __fish_seen_subcommand_from bench calibrate hash keygen ls pack scan unpack verify help" -f -a "scan" -d 'Cut files into chunks and id them: how many, how many of them distinct, and at what cost'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand help; and not __fish_seen_subcommand_from bench calibrate hash keygen ls pack scan unpack verify help" -f -a "unpack" -d 'Write the stream that a pack was made of'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand help; and not __fish_seen_subcommand_from bench calibrate hash keygen ls pack scan unpack verify help" -f -a "verify" -d 'Check every byte of a pack'
complete -c chunkmill -n "__fish_chunkmill_using_subcommand help; and not __fish_seen_subcommand_from bench calibrate hash keygen ls pack scan unpack verify help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
