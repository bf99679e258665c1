/** A provider that people can sign in with. */
export interface SignInProvider {
	readonly id: string;
	readonly name: string;
}

/** How people sign in, as the server publishes it in the page. */
export interface AuthConfig {
	/** Without it there are no accounts and nobody signs in. */
	readonly enabled: boolean;
	readonly passwordLogin: boolean;
	/** Whether a forgotten password can be replaced by a link in a mail. */
	readonly passwordMail: boolean;
	readonly ldap: boolean;
	readonly providers: readonly SignInProvider[];
	/** The provider that the log-in page redirects to automatically. */
	readonly autoLogin: SignInProvider | undefined;
	/** Whether new passwords have to follow the strong policy. */
	readonly strongPasswords: boolean;
	/** Lifetime of access tokens. */
	readonly accessTokenMinutes: number;
	readonly supportEmail: string | undefined;
	/** Whether programs can ask people for access here. */
	readonly programs: boolean;
}

/** The server's configuration in the page: addresses, version and sign-in. */
export interface AppConfig {
	/** Path below which the app is served, without a slash at the end; empty at the root. */
	readonly basePath: string;
	/** Address of the server, for requests and snippets. */
	readonly origin: string;
	readonly version: string | undefined;
	/** Port of OTLP/gRPC, if the page has it. */
	readonly grpcPort: number | undefined;
	/** Whether agents are answered over MCP. */
	readonly mcp: boolean;
	/** Whether models may be called. */
	readonly modelCalls: boolean;
	readonly auth: AuthConfig;
}

type Json = Readonly<Record<string, unknown>>;

function toRecord(value: unknown): Json {
	return typeof value === "object" && value !== null ? (value as Json) : {};
}

function readMeta(): Json {
	const content = document.querySelector('meta[name="spanward-config"]')?.getAttribute("content");
	return toRecord(JSON.parse(content || "{}"));
}

const DEFAULT_ACCESS_MINUTES = 10;

/** Absent members count as off, so that nothing is offered that an older server cannot do. */
function toAuthConfig(auth: Json): AuthConfig {
	const { accessTokenMinutes, supportEmail } = auth;
	const providers = toProviders(auth["providers"]);
	return {
		enabled: auth["enabled"] === true,
		passwordLogin: auth["passwordLogin"] === true,
		passwordMail: auth["passwordMail"] === true,
		ldap: auth["ldap"] === true,
		providers,
		autoLogin: providers.find(({ id }) => id === auth["autoLogin"]),
		strongPasswords: auth["strongPasswords"] === true,
		accessTokenMinutes:
			typeof accessTokenMinutes === "number" && accessTokenMinutes > 0 ? accessTokenMinutes : DEFAULT_ACCESS_MINUTES,
		supportEmail: typeof supportEmail === "string" ? supportEmail : undefined,
		programs: auth["programs"] === true,
	};
}

function toProviders(list: unknown): SignInProvider[] {
	return (Array.isArray(list) ? list : [])
		.map(toRecord)
		.flatMap(({ id, name }) => (typeof id === "string" && typeof name === "string" ? [{ id, name }] : []));
}

function readConfig(): AppConfig {
	const meta = readMeta();
	const base = document.querySelector("base")?.getAttribute("href") ?? "/";
	const url = new URL(base, location.origin);
	const basePath = url.pathname.replace(/\/+$/, "");
	return {
		basePath,
		origin: `${location.origin}${basePath}`,
		version: typeof meta["version"] === "string" ? meta["version"] : undefined,
		grpcPort: typeof meta["grpcPort"] === "number" ? meta["grpcPort"] : undefined,
		mcp: meta["mcp"] === true,
		modelCalls: meta["modelCalls"] === true,
		auth: toAuthConfig(toRecord(meta["auth"])),
	};
}

export const config: AppConfig = readConfig();
