/** How a connection is protected, by libpq's names. https://www.postgresql.org/docs/current/libpq-ssl.html */
export const TLS_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;
export type PostgresTlsMode = (typeof TLS_MODES)[number];

/** What an address of PostgreSQL says; members are absent where it says nothing. */
export interface PostgresUrl {
	/** A name, an address without brackets, or the folder of a socket. */
	readonly host: string;
	readonly port: number;
	readonly user?: string;
	readonly password?: string;
	readonly database?: string;
	readonly tlsMode?: PostgresTlsMode;
	/** Paths of PEM files. */
	readonly tlsFiles: { readonly ca?: string; readonly cert?: string; readonly key?: string };
	readonly applicationName?: string;
	/** Seconds. */
	readonly connectTimeout?: number;
}

const DEFAULT_PORT = 5432;
const PARAMETERS = [
	..."host port user password dbname".split(" "),
	..."sslmode sslrootcert sslcert sslkey".split(" "),
	..."application_name connect_timeout target_session_attrs".split(" "),
];
const LIKE_AN_ADDRESS = "postgresql://user:password@host:5432/database";

/**
 * Reads `postgresql://user:password@host:port/database?sslmode=…`, or with all of it in parameters, as libpq does.
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
 * @returns the problems when there are any, each to follow the name of the variable; none shows user or password
 */
export function parsePostgresUrl(text: string): PostgresUrl | readonly string[] {
	const problems: string[] = [];
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
	if (scheme === "sqlite" || scheme === "file")
		return [
			"names a SQLite file in an unsupported form: leave it unset, and SERVICE_WORKING_DIR is the folder of the database",
		];
	if (scheme?.startsWith("postgresql+")) return [`must begin with postgresql://, without +${scheme.slice(11)}`];
	if (scheme !== "postgresql" && scheme !== "postgres") return [`must be like ${LIKE_AN_ADDRESS}`];
	const hosts = /^[^:]+:\/\/(?:[^@/]*@)?([^/?#]*)/.exec(text)?.[1] ?? "";
	if (hosts.includes(",") || url?.searchParams.get("host")?.includes(","))
		return ["names several hosts: give one name that leads to the primary"];
	if (url === undefined || url.hash !== "")
		return [
			`must be like ${LIKE_AN_ADDRESS}: in user and password, percent-encode everything but letters and digits, such as %40 for @`,
		];
	const parameters = readParameters(url, problems);
	const decoded = (value: string) => decode(value, problems);
	const host = parameters.get("host") ?? decoded(url.hostname.replace(/^\[(.*)\]$/, "$1"));
	const user = parameters.get("user") ?? decoded(url.username);
	const password = parameters.get("password") ?? decoded(url.password);
	const database = parameters.get("dbname") ?? decoded(url.pathname.replace(/^\//, ""));
	if (host === "") problems.push(`names no host; it must be like ${LIKE_AN_ADDRESS}`);
	if (database.includes("/")) problems.push("has a path of several parts; the database is one name");
	const ca = parameters.get("sslrootcert");
	const cert = parameters.get("sslcert");
	const key = parameters.get("sslkey");
	const tlsMode = readTlsMode(parameters, problems);
	const connectTimeout = readNumber("connect_timeout", parameters, 600, problems);
	const applicationName = parameters.get("application_name");
	const read = {
		host,
		port: readNumber("port", parameters, 65_535, problems) ?? (url.port === "" ? DEFAULT_PORT : Number(url.port)),
		...(user === "" ? {} : { user }),
		...(password === "" ? {} : { password }),
		...(database === "" ? {} : { database }),
		...(tlsMode === undefined ? {} : { tlsMode }),
		tlsFiles: {
			...(ca === undefined ? {} : { ca }),
			...(cert === undefined ? {} : { cert }),
			...(key === undefined ? {} : { key }),
		},
		...(applicationName === undefined ? {} : { applicationName }),
		...(connectTimeout === undefined ? {} : { connectTimeout }),
	};
	return problems.length > 0 ? [...new Set(problems)] : read;
}

function readParameters(url: URL, problems: string[]): ReadonlyMap<string, string> {
	const parameters = new Map<string, string>();
	for (const pair of url.search.slice(1).split("&")) {
		if (pair === "") continue;
		const at = pair.includes("=") ? pair.indexOf("=") : pair.length;
		const name = pair.slice(0, at);
		// Unlike in forms, a + is a +.
		const value = decode(pair.slice(at + 1), problems);
		if (!PARAMETERS.includes(name)) {
			const named = /^\w{1,40}$/.test(name) ? `parameter ${name}` : "a parameter";
			problems.push(`has ${named}, which is not supported; supported are ${PARAMETERS.join(", ")}`);
		} else if (parameters.has(name)) problems.push(`has the parameter ${name} twice`);
		else if (value !== "") parameters.set(name, value);
	}
	const session = parameters.get("target_session_attrs");
	if (session !== undefined && !["any", "read-write", "primary"].includes(session))
		problems.push("may only have target_session_attrs=read-write: the server has to write to it");
	return parameters;
}

function readTlsMode(parameters: ReadonlyMap<string, string>, problems: string[]): PostgresTlsMode | undefined {
	const text = parameters.get("sslmode");
	const mode = TLS_MODES.find((known) => known === text);
	if (text !== undefined && mode === undefined) problems.push(`has an sslmode that ${tlsModeProblem(text)}`);
	return mode;
}

/** What is wrong with a TLS mode that is none of ours, as the end of a sentence. */
export function tlsModeProblem(text: string): string {
	return text === "prefer" || text === "allow"
		? `would continue unencrypted if somebody in between asks for it; it must be one of ${TLS_MODES.join(", ")}`
		: `must be one of ${TLS_MODES.join(", ")}`;
}

function readNumber(
	name: string,
	parameters: ReadonlyMap<string, string>,
	max: number,
	problems: string[],
): number | undefined {
	const text = parameters.get(name);
	if (text === undefined) return undefined;
	const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
	if (number < 1 || number > max) problems.push(`has a ${name} that is not a whole number from 1 to ${max}`);
	return number;
}

/** The text of a percent-encoded part of an address; empty, with a problem, when it is not one. */
export function decode(text: string, problems: string[]): string {
	try {
		return decodeURIComponent(text);
	} catch {
		problems.push("has a % that is not part of a percent-encoded character; write %25 for a % itself");
		return "";
	}
}
