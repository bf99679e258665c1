import { isAbsolute } from "node:path";
import { compileExpression } from "../jmespath/expression.ts";
import { OAUTH2, OAUTH2_PREFIX, type OAuth2Provider, type OAuth2Suffix } from "./oauth2-settings.ts";
import { readTable } from "./read-table.ts";
import type { Environment, SettingTable, ValuesOf } from "./setting.ts";
import { parseCertificates, readPem } from "./tls-material.ts";

const TABLE: SettingTable = OAUTH2;
const SECRET_SUFFIXES = Object.entries(TABLE).flatMap(([suffix, { secret }]) => (secret === true ? [suffix] : []));
/** The longest first: one may be the end of another. */
const SUFFIXES = [...Object.keys(TABLE), ...SECRET_SUFFIXES.map((suffix) => `${suffix}_FILE`)].sort(
	(a, b) => b.length - a.length,
);

/** Paths of other routes below /oauth2, here or in products that people switch from. */
const RESERVED_IDS = ["authorize", "token", "revoke", "register", "consent"];
const OWN_SCOPES = ["openid", "email", "profile"];

interface ProvidersRead {
	/** The valid ones, by id. */
	readonly providers: readonly OAuth2Provider[];
	readonly problems: readonly string[];
}

/** A variable `SERVICE_OAUTH2_<IDP>_<SUFFIX>` with a suffix that is known; the label is empty where `<IDP>` is missing. */
export function splitProviderVariable(
	name: string,
): { readonly label: string; readonly suffix: string; readonly isSecret: boolean } | undefined {
	if (!name.startsWith(OAUTH2_PREFIX)) return undefined;
	const rest = `_${name.slice(OAUTH2_PREFIX.length)}`;
	const suffix = SUFFIXES.find((known) => rest.endsWith(`_${known}`));
	if (suffix === undefined) return undefined;
	const label = rest.slice(1, -suffix.length - 1);
	if (!/^\w*$/.test(label)) return undefined;
	return { label: /^_*$/.test(label) ? "" : label, suffix, isSecret: SECRET_SUFFIXES.includes(suffix) };
}

/** The providers whose variables are set; empty variables make none. */
export function readProviders(environment: Environment): ProvidersRead {
	const variables = new Map<string, string[]>();
	for (const [name, value] of Object.entries(environment)) {
		const { label } = splitProviderVariable(name) ?? {};
		if (label === undefined || (value ?? "").trim() === "") continue;
		variables.set(label, [...(variables.get(label) ?? []), name]);
	}
	const nameless = (variables.get("") ?? []).map(
		(name) =>
			`${name} names no provider: write ${OAUTH2_PREFIX}<IDP>_${splitProviderVariable(name)?.suffix} with a label for it, such as GOOGLE`,
	);
	variables.delete("");
	const read = [...variables]
		.map(([label, names]) => readProvider(label, names, environment))
		.sort((a, b) => (a.id < b.id ? -1 : 1));
	const providers = read.flatMap(({ provider }) => provider ?? []);
	const automatic = read.filter(({ autoLogin }) => autoLogin);
	return {
		providers,
		problems: [
			...nameless,
			...read.flatMap(({ problems }) => problems),
			...read.flatMap(({ id, prefix }, index) => {
				const other = read[index - 1];
				if (other?.id !== id) return [];
				return `${other.prefix}… and ${prefix}… are the same provider, ${id}: write its label the same way`;
			}),
			...(automatic.length > 1
				? [
						`${automatic.map(({ prefix }) => `${prefix}AUTO_LOGIN`).join(" and ")} are true: a visitor can be redirected to only one provider, ${automatic.map(({ id }) => id).join(" or ")}`,
					]
				: []),
		],
	};
}

function prefixOf(label: string): string {
	return `${OAUTH2_PREFIX}${label}_`;
}

interface ProviderRead {
	readonly id: string;
	readonly prefix: string;
	readonly autoLogin: boolean;
	readonly provider: OAuth2Provider | undefined;
	readonly problems: readonly string[];
}

/** @param names its variables that are set */
function readProvider(label: string, names: readonly string[], environment: Environment): ProviderRead {
	const prefix = prefixOf(label);
	const id = label.toLowerCase();
	const { values, problems: wrong, failed } = readTable(TABLE, environment, prefix);
	const settings = values as ValuesOf<typeof OAUTH2>;
	const problems = [...wrong];
	const check: Checker = (suffixes, isWrong, problem) => {
		if (isWrong && !suffixes.some((suffix) => failed.has(suffix))) problems.push(problem);
	};
	if (RESERVED_IDS.includes(id)) {
		problems.push(
			`${names.join(", ")}: a provider must not be called ${RESERVED_IDS.join(", ")}; give it another label`,
		);
	}
	checkRequired(settings, prefix, names, check);
	checkGroups(settings, prefix, check);
	check(
		["ROLE_RESYNC", "ROLE_ATTRIBUTE_PATH"],
		!settings.ROLE_RESYNC && settings.ROLE_ATTRIBUTE_PATH === null,
		`${prefix}ROLE_RESYNC=false needs ${prefix}ROLE_ATTRIBUTE_PATH: without it no role comes from the provider at all`,
	);
	const assertionFile = findAssertionFile(settings, prefix, environment, check);
	const pem = readPem(`${prefix}CA_CERT_FILE`, settings.CA_CERT_FILE, problems);
	if (pem !== undefined) parseCertificates(`${prefix}CA_CERT_FILE`, pem, problems);
	const { CLIENT_ID: clientId, OIDC_CONFIG_URL: configUrl, AUTO_LOGIN: autoLogin } = settings;
	if (problems.length > 0 || clientId === null || configUrl === null) {
		return { id, prefix, autoLogin, provider: undefined, problems };
	}
	const provider: OAuth2Provider = {
		id,
		prefix,
		displayName: settings.DISPLAY_NAME ?? displayNameOf(id),
		clientId,
		clientSecret: needsSecret(settings) ? settings.CLIENT_SECRET : null,
		configUrl,
		authMethod: settings.TOKEN_ENDPOINT_AUTH_METHOD,
		assertionFile,
		usePkce: settings.USE_PKCE,
		scopes: [...new Set([...OWN_SCOPES, ...settings.SCOPES])],
		allowSignUp: settings.ALLOW_SIGN_UP,
		autoLogin,
		emailPath: settings.EMAIL_ATTRIBUTE_PATH ?? compileExpression("email"),
		groupsPath: settings.GROUPS_ATTRIBUTE_PATH,
		allowedGroups: settings.ALLOWED_GROUPS ?? new Set(),
		rolePath: settings.ROLE_ATTRIBUTE_PATH,
		roleMapping: settings.ROLE_MAPPING,
		roleStrict: settings.ROLE_ATTRIBUTE_STRICT,
		roleResync: settings.ROLE_RESYNC,
		trustEmail: settings.TRUST_EMAIL,
		ca: pem?.pem,
		allowIssuerMismatch: settings.ALLOW_ISSUER_MISMATCH,
	};
	return { id, prefix, autoLogin, provider, problems };
}

/** Reports a problem unless one of the settings that it is about is wrong by itself. */
type Checker = (suffixes: readonly OAuth2Suffix[], isWrong: boolean, problem: string) => void;

type Settings = ValuesOf<typeof OAUTH2>;

function needsSecret({ TOKEN_ENDPOINT_AUTH_METHOD: method }: Settings): boolean {
	return method === "client_secret_basic" || method === "client_secret_post";
}

function checkRequired(settings: Settings, prefix: string, names: readonly string[], check: Checker): void {
	const because = `the provider ${prefix.slice(OAUTH2_PREFIX.length, -1)} has ${names.length > 3 ? `${names.length} other variables` : names.join(", ")}`;
	for (const suffix of ["CLIENT_ID", "OIDC_CONFIG_URL"] as const) {
		check([suffix], settings[suffix] === null, `${prefix}${suffix} must be set: ${because}`);
	}
	check(
		["CLIENT_SECRET", "TOKEN_ENDPOINT_AUTH_METHOD"],
		needsSecret(settings) && settings.CLIENT_SECRET === null,
		`${prefix}CLIENT_SECRET must be set, unless ${prefix}TOKEN_ENDPOINT_AUTH_METHOD is none or client_assertion_jwt`,
	);
}

function checkGroups(settings: Settings, prefix: string, check: Checker): void {
	const { GROUPS_ATTRIBUTE_PATH: path, ALLOWED_GROUPS: groups } = settings;
	const [pathName, groupsName] = [`${prefix}GROUPS_ATTRIBUTE_PATH`, `${prefix}ALLOWED_GROUPS`];
	const both: readonly OAuth2Suffix[] = ["GROUPS_ATTRIBUTE_PATH", "ALLOWED_GROUPS"];
	check(
		both,
		groups !== null && groups.size === 0,
		`${groupsName} names no group: name one, or remove it together with ${pathName}`,
	);
	check(
		both,
		groups !== null && groups.size > 0 && path === null,
		`${groupsName} needs ${pathName}, which finds a user's groups in the claims: set it, or remove ${groupsName}`,
	);
	check(
		both,
		path !== null && groups === null,
		`${pathName} needs ${groupsName}, the groups that may sign in: set it, or remove ${pathName}`,
	);
}

/** The values of the assertion's variables are not shown: one may be the assertion itself, by mistake. */
function findAssertionFile(
	settings: Settings,
	prefix: string,
	environment: Environment,
	check: Checker,
): string | null {
	if (settings.TOKEN_ENDPOINT_AUTH_METHOD !== "client_assertion_jwt") return null;
	const { CLIENT_ASSERTION_FILE: direct, CLIENT_ASSERTION_FILE_ENV_VAR: variable } = settings;
	const [fileName, variableName] = [`${prefix}CLIENT_ASSERTION_FILE`, `${prefix}CLIENT_ASSERTION_FILE_ENV_VAR`];
	const path = direct ?? (variable === null ? null : valueOfVariable(variable, environment));
	check(
		[],
		direct === null && variable === null,
		`${prefix}TOKEN_ENDPOINT_AUTH_METHOD=client_assertion_jwt needs ${fileName} or ${variableName}`,
	);
	check([], direct !== null && variable !== null, `${fileName} and ${variableName} are both set; keep one of them`);
	check([], direct === null && path === "", `${variableName} names a variable that is not set`);
	check(
		[],
		path !== null && path !== "" && !isAbsolute(path),
		direct === null
			? `${variableName} names a variable that contains no absolute path`
			: `${fileName} must be an absolute path`,
	);
	return path;
}

/** The text of a variable that a setting names; empty when it is unset. */
function valueOfVariable(name: string, environment: Environment): string {
	return Object.hasOwn(environment, name) ? (environment[name]?.trim() ?? "") : "";
}

const DISPLAY_NAMES: Readonly<Record<string, string>> = {
	aws_cognito: "AWS Cognito",
	microsoft_entra_id: "Microsoft Entra ID",
};

function displayNameOf(id: string): string {
	const words = id.split("_").filter((word) => word !== "");
	return DISPLAY_NAMES[id] ?? words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
}

/** Names of providers' variables that a misspelt name may stand for. */
export function nearbyProviderVariables(name: string): readonly string[] {
	const words = name.slice(OAUTH2_PREFIX.length).split("_");
	const labels = words.slice(1).map((_, index) =>
		words
			.slice(0, index + 1)
			.join("_")
			.toUpperCase(),
	);
	return labels.flatMap((label) => SUFFIXES.map((suffix) => `${prefixOf(label)}${suffix}`));
}
