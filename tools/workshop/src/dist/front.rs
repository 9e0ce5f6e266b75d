//! The program that cargo runs in the place of the compiler.

/// Runs its arguments. Cargo names a crate to the compiler by a hash of its folder, if that is outside the workspace, and
/// symbols and their order depend on this name. keylane's crates get another name here, from what they are.
const SCRIPT: &str = r#"#!/bin/sh
before= name= type=
for word; do
    shift
    case $before in
    --crate-name) name=$word ;;
    --crate-type) type=$word ;;
    esac
    case $name:$word in *keylane*:metadata=*) word=metadata=$name-$type ;; esac
    before=$word
    set -- "$@" "$word"
done
exec "$@""#;

/// A shell script that runs its arguments with `flags` behind them.
pub fn front(flags: &[String]) -> String {
    let quoted = flags.iter().map(|flag| format!(" '{}'", flag.replace('\'', r"'\''")));
    format!("{SCRIPT}{}\n", quoted.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output;
    use std::fs;
    use std::process::Command;

    #[test]
    fn the_program_in_front_keeps_every_argument_whole() {
        let folder = tempfile::tempdir().unwrap();
        let front_program = folder.path().join("front");
        fs::write(&front_program, front(&["--from=it's here".into()])).unwrap();
        let printed = output(Command::new("sh").arg(&front_program).args(["printf", "[%s]", "a b"])).unwrap();
        assert_eq!(printed, "[a b][--from=it's here]");
    }

    #[test]
    fn the_program_in_front_names_our_crates_by_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let front_program = folder.path().join("front");
        fs::write(&front_program, front(&[])).unwrap();
        let named = |name: &str| {
            let crate_arguments = ["--crate-name", name, "--crate-type", "bin", "-C", "metadata=0123"];
            output(Command::new("sh").arg(&front_program).arg("echo").args(crate_arguments)).unwrap()
        };
        assert_eq!(named("_keylane"), "--crate-name _keylane --crate-type bin -C metadata=_keylane-bin\n");
        assert_eq!(named("other"), "--crate-name other --crate-type bin -C metadata=0123\n");
    }
}
