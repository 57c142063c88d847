//! The man pages and the shells' completions in `pages/` are those of the command line.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};

use crate::args::Cli;

/// Set it to have the pages written anew.
const ANEW: &str = "CHUNKMILL_WRITE_PAGES";

/// The page of a command, and those of the commands below it.
fn man_pages(command: &Command, pages: &mut BTreeMap<PathBuf, Vec<u8>>) {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page).unwrap();
    pages.insert(format!("man1/{name}.1").into(), page);
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        man_pages(below, pages);
    }
}

#[test]
fn pages_are_those_of_the_command_line() {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut pages = BTreeMap::new();
    man_pages(&command, &mut pages);
    for (shell, name) in [(Shell::Bash, "chunkmill.bash"), (Shell::Fish, "chunkmill.fish"), (Shell::Zsh, "_chunkmill")]
    {
        let mut completions = Vec::new();
        generate(shell, &mut Cli::command(), "chunkmill", &mut completions);
        pages.insert(format!("completions/{name}").into(), completions);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("pages");
    if std::env::var_os(ANEW).is_some() {
        for (name, page) in &pages {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), page).unwrap();
        }
    }
    for (name, page) in &pages {
        let found = fs::read(root.join(name)).unwrap_or_default();
        assert!(found == *page, "pages/{} differs: set {ANEW} and run this test", name.display());
    }
    let there = ["man1", "completions"].iter().flat_map(|folder| fs::read_dir(root.join(folder)).unwrap());
    assert_eq!(there.count(), pages.len(), "a page of no command");
}
