import type { Environment } from "#base/settings/setting.ts";

export interface Command {
	/** The parameters after the name, for the help. */
	readonly parameters?: string;
	/** Description, by lines. */
	readonly does: readonly string[];
	/** Options with their descriptions. */
	readonly options?: readonly (readonly [option: string, does: string])[];
	readonly run: (args: readonly string[], environment: Environment) => Promise<void>;
}

const JSON_OPTION = ["--json", "for programs"] as const;
const KEEP_RUNNING_OPTION = [
	"--keep-running",
	"let experiment jobs go on that have not ended; otherwise they are paused until somebody resumes them",
] as const;

/** Each command is imported when it is run: most need large parts of the server. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
	[
		"doctor",
		{
			does: ["check settings, database, certificates, the running server, and every way to sign in"],
			options: [
				["--provider <id>", "only this provider"],
				["--claims <file.json>", "with --provider, which is not asked then: what these claims lead to"],
				["--ldap-user <name>", "only the directory, and what it says about this user"],
				["--password", "with --ldap-user: ask for the password, or read it from standard input, and check it too"],
				["--mail <address>", "send a test mail there"],
				JSON_OPTION,
			],
			run: async (args, environment) => (await import("./doctor/doctor.ts")).doctorCommand(args, environment),
		},
	],
	[
		"backup",
		{
			parameters: "<file or folder>",
			does: ["copy everything into a new file, or one in a folder, while the server runs (SQLite)"],
			options: [
				["--traces <place>", "and have ClickHouse back up the traces to disk:<disk> or s3:<named collection>"],
				JSON_OPTION,
			],
			run: async (args, environment) => (await import("./backup.ts")).backupCommand(args, environment),
		},
	],
	[
		"restore",
		{
			parameters: "<file>",
			does: ["make a backup the database of the working folder; the server has to be stopped"],
			options: [
				["--traces", "and have ClickHouse restore the traces that belong to it; with PostgreSQL, restores only these"],
				["--force", "even if there is a database, which is kept next to it"],
				["--damaged", "even if its log is missing, or spans in it are damaged"],
				KEEP_RUNNING_OPTION,
				JSON_OPTION,
			],
			run: async (args, environment) => (await import("./restore.ts")).restoreCommand(args, environment),
		},
	],
	[
		"verify",
		{
			parameters: "[<file>]",
			does: ["check a database (SQLite or PostgreSQL) or a backup: references, contents, and every total"],
			options: [JSON_OPTION],
			run: async (args, environment) => (await import("./verify/verify.ts")).verifyCommand(args, environment),
		},
	],
	[
		"rollback",
		{
			does: ["put back the copy of the database that the last upgrade made"],
			options: [KEEP_RUNNING_OPTION, ["--yes", "without asking"]],
			run: async (args, environment) => (await import("./rollback.ts")).rollbackCommand(args, environment),
		},
	],
	[
		"copy",
		{
			does: ["copy everything between SQLite, PostgreSQL and ClickHouse; continues an interrupted copy"],
			options: [
				["--from <address>", "sqlite:<folder or file>, or postgresql://user@host/database"],
				["--to <address>", "the same, of a database without data"],
				["--traces-from <address>", "clickhouse:http://host:8123?database=name, if its traces are there"],
				["--traces-to <address>", "the same, of a database without data, if its traces go there"],
				["--schema <name>", "in PostgreSQL, instead of SERVICE_SQL_DATABASE_SCHEMA"],
				[
					"--servers-running",
					"while servers go on: a first round, which copies most, and is followed by one with --since",
				],
				["--since", "bring what has changed since the first round, and complete the copy; servers are stopped"],
				KEEP_RUNNING_OPTION,
				JSON_OPTION,
			],
			run: async (args, environment) => (await import("./copy.ts")).copyCommand(args, environment),
		},
	],
	[
		"adopt-clickhouse",
		{
			does: [
				"take over the traces in ClickHouse of an installation whose users and projects are lost;",
				"all servers have to be stopped",
			],
			options: [
				["--empty", "instead, go on with an empty ClickHouse when this installation's traces are lost"],
				["--force", "even if traces were stored here, as by a database that was put back from a backup"],
				["--yes", "without asking"],
			],
			run: async (args, environment) =>
				(await import("./adopt-clickhouse.ts")).adoptClickHouseCommand(args, environment),
		},
	],
	[
		"import-phoenix",
		{
			parameters: "<address>",
			does: ["import a Phoenix database: its file, or postgresql://user@host/database"],
			options: [
				["--schema <name>", "where it is in PostgreSQL"],
				[
					"--dry-run",
					"only report what would be imported, and what cannot be; takes as long, and as much space in TMPDIR",
				],
				JSON_OPTION,
			],
			run: async (args, environment) =>
				(await import("./import-phoenix/import-phoenix.ts")).importPhoenixCommand(args, environment),
		},
	],
	[
		"hash-password",
		{
			does: ["read a password from a prompt or standard input, print its hash for the database"],
			run: async (args, environment) => (await import("./hash-password.ts")).hashPasswordCommand(args, environment),
		},
	],
	[
		"forget-secrets",
		{
			does: [
				"accept a new SERVICE_SECRET when the old one is lost; deletes what can no longer be decrypted,",
				"after a backup",
			],
			options: [["--yes", "without asking"]],
			run: async (args, environment) => (await import("./forget-secrets.ts")).forgetSecretsCommand(args, environment),
		},
	],
]);
