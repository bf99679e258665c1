import { parseArgs } from "node:util";
import { Steps } from "#access/sign-in/steps.ts";
import { type Config, ConfigError, readConfig, settingWarnings } from "#base/config.ts";
import { canonicalEmail, isEmail } from "#base/email.ts";
import { clickHouseSettings } from "#base/settings/clickhouse.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import type { Environment } from "#base/settings/setting.ts";
import { CommandError, EXIT_SETTINGS, EXIT_USAGE } from "../command-error.ts";
import { readSecretly } from "../read-secretly.ts";
import { checkOwnCertificate } from "./certificates.ts";
import { checkUploadFolder } from "./disk.ts";
import { checkFolder } from "./folder.ts";
import { examineMail } from "./mail.ts";
import { checkModels } from "./models.ts";
import { checkPostgres } from "./postgres.ts";
import { hasFailed, type Section, toJson, toText } from "./report.ts";
import { fetchRequestSteps } from "./request-steps.ts";
import { checkServer } from "./server.ts";
import { checkSignIn, type SignInQuestions } from "./sign-in.ts";

interface Options extends SignInQuestions {
	readonly json: boolean;
	readonly asksPassword: boolean;
	/** Where a test mail goes. */
	readonly mailTo?: string | undefined;
}

/** A connection that a check gave up must not keep the process running. */
const END_WITHIN_MS = 1_000;

/** `spanward doctor`: checks the settings and everything that they name. Changes nothing. */
export async function doctorCommand(args: readonly string[], environment: Environment): Promise<void> {
	const options = readOptions(args);
	let config: Config;
	try {
		config = readConfig(environment);
	} catch (error) {
		if (!(error instanceof ConfigError) || !options.json) throw error;
		process.stdout.write(`${JSON.stringify({ ok: false, problems: error.problems }, null, "\t")}\n`);
		process.exitCode = EXIT_SETTINGS;
		return;
	}
	const ldapPassword = options.asksPassword ? await readSecretly("Password", { isNew: false }) : undefined;
	const sections = [
		...(await examine(config, environment, { ...options, ldapPassword })),
		...(await examineMail(config, options)),
	];
	process.stdout.write(options.json ? toJson(sections) : toText(sections, showsColours(environment)));
	if (hasFailed(sections)) process.exitCode = 1;
	setTimeout(() => process.exit(), END_WITHIN_MS).unref();
}

function readOptions(args: readonly string[]): Options {
	const values = parseOptions(args);
	const usage = (message: string) => new CommandError(EXIT_USAGE, message);
	if (values.claims !== undefined && values.provider === undefined) {
		throw usage("--claims needs --provider <id>, whose settings interpret them.");
	}
	if (values.password === true && values["ldap-user"] === undefined) {
		throw usage("--password needs --ldap-user <name>, whose password it is.");
	}
	if (values.mail !== undefined && !isEmail(canonicalEmail(values.mail))) {
		throw usage(`--mail needs an email address; ${JSON.stringify(values.mail)} is not one.`);
	}
	return {
		provider: values.provider,
		claims: values.claims,
		ldapUser: values["ldap-user"],
		mailTo: values.mail === undefined ? undefined : canonicalEmail(values.mail),
		asksPassword: values.password === true,
		json: values.json === true,
	};
}

function parseOptions(args: readonly string[]) {
	try {
		return parseArgs({
			args: [...args],
			options: {
				provider: { type: "string" },
				claims: { type: "string" },
				"ldap-user": { type: "string" },
				password: { type: "boolean" },
				mail: { type: "string" },
				json: { type: "boolean" },
			},
		}).values;
	} catch {
		// Node's message may repeat a password.
		throw new CommandError(
			EXIT_USAGE,
			"doctor takes --provider <id>, --claims <file>, --ldap-user <name>, --password, --mail <address> and --json; never a password as an argument, because everybody on this machine can read arguments.",
		);
	}
}

async function examine(
	config: Config,
	environment: Environment,
	questions: SignInQuestions,
): Promise<readonly Section[]> {
	const settings = new Steps();
	settings.ok("settings", "All settings are valid.");
	if (config.SERVICE_ENABLE_AUTH) {
		settings.ok(
			"settings",
			config.SERVICE_DISABLE_BASIC_AUTH
				? "Passwords are off, by SERVICE_DISABLE_BASIC_AUTH: only providers and the directory let people in."
				: "Local accounts log in with passwords.",
		);
	}
	for (const warning of settingWarnings(config, environment)) settings.warn("settings", warning);
	const folder = new Steps();
	const usesPostgres = postgresSettings(config) !== undefined;
	const check = usesPostgres ? checkPostgres : checkFolder;
	await using database = await check(config, folder);
	if (usesPostgres) checkUploadFolder(config, folder);
	const clickhouse = clickHouseSettings(config);
	const sections: Section[] = [
		{ title: "Settings", steps: settings.list },
		{ title: usesPostgres ? "PostgreSQL" : "Database", steps: folder.list },
	];
	if (questions.provider === undefined && questions.ldapUser === undefined) {
		if (clickhouse !== undefined) {
			// Loaded only where it is used.
			const { checkClickHouse } = await import("./clickhouse/clickhouse.ts");
			sections.push(...(await checkClickHouse(clickhouse, database)));
		}
		sections.push(...(await examineServer(config)));
		sections.push(...(await checkModels(config, database)));
	}
	return [...sections, ...(await checkSignIn(config, database, questions))];
}

async function examineServer(config: Config): Promise<readonly Section[]> {
	const certificate = new Steps();
	checkOwnCertificate(config, certificate);
	const server = new Steps();
	const url = await checkServer(config, server);
	return [
		{ title: "Certificate of this server", steps: certificate.list },
		{ title: "Server", steps: server.list },
		...(url === undefined || !config.SERVICE_ENABLE_AUTH
			? []
			: [{ title: "How requests reach the server", steps: await fetchRequestSteps(config, url) }]),
	];
}

function showsColours(environment: Environment): boolean {
	return process.stdout.isTTY === true && (environment["NO_COLOR"] ?? "") === "";
}
