import { bearClosedOutput } from "./command-line/closed-output.ts";
import { CommandError, EXIT_SETTINGS, EXIT_USAGE } from "./command-line/command-error.ts";
import { hashPasswordCommand } from "./command-line/hash-password.ts";
import { printable } from "./command-line/printable.ts";
import { ConfigError } from "./config.ts";
import { VERSION } from "./http/versions.ts";

const HELP = `Usage: spanward <command>

  doctor           check settings, database, certificates, the server that runs, and every way to sign in
      --provider <id>        only this provider
      --claims <file.json>   with --provider, which is not asked then: what these claims lead to
      --ldap-user <name>     only the directory, and what it says of this user
      --password             with --ldap-user: ask for the password, or read it from standard input, and check it too
      --json                 for programs
  backup <file>    copy everything into a new file or a folder, while the server runs (SQLite)
  restore <file>   make a backup the database of the working folder; the server has to be stopped
      --force                also where there is a database, which is kept beside it
      --damaged              also when its log is missing, or spans in it are damaged
  verify [<file>]  check a database or backup: the file, references, contents, and every total
  rollback         put back the copy that the last upgrade made of the database
      --yes                  without asking
  copy             copy everything between SQLite and PostgreSQL; goes on where an interrupted copy stopped
      --from <address>       sqlite:<folder or file>, or postgresql://user@host/database
      --to <address>         the same, of a database without data
      --schema <name>        in PostgreSQL, instead of SERVICE_SQL_DATABASE_SCHEMA
  import-phoenix <address>
                   bring over what a database of Phoenix holds: its file, or postgresql://user@host/database
      --schema <name>        where it is in PostgreSQL
      --dry-run              only say what there is, and what cannot be carried
  hash-password    read a password from a prompt or standard input, print its hash for the database
  forget-secrets   accept a new SERVICE_SECRET when the former one is lost; deletes what nobody can decrypt any more
  --help           this text
  --version        the version

Settings are environment variables, as for the server: docs/settings.md.
doctor, backup and verify change nothing and may run beside the server. backup, restore, verify, copy and import-phoenix take --json.
Every command ends with 0, 1 when something has failed, 64 when it is called wrongly, 65 when data is, 78 when settings are;
141 when nobody read its output to the end.
The server itself is started by npm start.
`;

const COMMANDS: Readonly<Record<string, (args: readonly string[], environment: NodeJS.ProcessEnv) => Promise<void>>> = {
	// Most know much of the server, which the others need not load.
	doctor: async (args, environment) =>
		(await import("./command-line/doctor/doctor.ts")).doctorCommand(args, environment),
	backup: async (args, environment) => (await import("./command-line/backup.ts")).backupCommand(args, environment),
	restore: async (args, environment) => (await import("./command-line/restore.ts")).restoreCommand(args, environment),
	verify: async (args, environment) => (await import("./command-line/verify.ts")).verifyCommand(args, environment),
	rollback: async (args, environment) =>
		(await import("./command-line/rollback.ts")).rollbackCommand(args, environment),
	"--rollback": async (args, environment) =>
		(await import("./command-line/rollback.ts")).rollbackCommand(args, environment),
	copy: async (args, environment) => (await import("./command-line/copy.ts")).copyCommand(args, environment),
	"import-phoenix": async (args, environment) =>
		(await import("./command-line/import-phoenix/import-phoenix.ts")).importPhoenixCommand(args, environment),
	"hash-password": hashPasswordCommand,
	"forget-secrets": async (args, environment) =>
		(await import("./command-line/forget-secrets.ts")).forgetSecretsCommand(args, environment),
	"--help": async () => void process.stdout.write(HELP),
	"-h": async () => void process.stdout.write(HELP),
	help: async () => void process.stdout.write(HELP),
	"--version": async () => void process.stdout.write(`${VERSION}\n`),
};

async function runCommand([name = "--help", ...args]: readonly string[]): Promise<void> {
	const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
	if (command === undefined) throw new CommandError(EXIT_USAGE, `There is no such command.\n\n${HELP}`);
	if (args.includes("--help") || args.includes("-h")) process.stdout.write(HELP);
	// biome-ignore lint/style/noProcessEnv: where settings come from
	else await command(args, process.env);
}

// Takes the arguments out of the list of processes: an address may have a password.
process.title = "spanward";
bearClosedOutput();
try {
	await runCommand(process.argv.slice(2));
} catch (error) {
	if (!(error instanceof Error)) throw error;
	// What a database or its server says may hold anything.
	process.stderr.write(`${error.message.trimEnd().split("\n").map(printable).join("\n")}\n`);
	process.exitCode = error instanceof CommandError ? error.exitCode : error instanceof ConfigError ? EXIT_SETTINGS : 1;
}
