import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "../access/accounts.ts";
import type { TestServer } from "../server.ts";
import type { ReportedStep } from "./doctor.ts";
import { type HostileProvider, visitProvider } from "./hostile-provider.ts";

export interface TryReport {
	readonly method: "OAUTH2" | "LDAP";
	readonly provider: string | null;
	readonly accepted: boolean;
	readonly code: string | null;
	readonly steps: readonly ReportedStep[];
	readonly claims: Readonly<Record<string, unknown>> | null;
}

export interface FinishedTry {
	readonly id: string;
	readonly report: TryReport;
	/** The answer to the browser that comes back; undefined when it was not sent to the provider. */
	readonly response: Response | undefined;
}

/** Tries to sign in with a provider as Settings → Sign-in does. */
export async function tryProvider(
	server: TestServer,
	admin: Client,
	provider: HostileProvider,
	idp: string,
): Promise<FinishedTry> {
	const url = await beginTry(admin, idp);
	if (url.startsWith("/")) return { ...(await readTry(admin, url)), response: undefined };
	const browser = browserFromElsewhere(server, admin);
	const response = await browser.send("GET", await visitProvider(url, provider));
	return { ...(await readTry(admin, response.headers.get("location") ?? "")), response };
}

/** @returns where the browser is sent to */
export async function beginTry(admin: Client, idp: string): Promise<string> {
	return (await admin.data("POST", `/v1/sign_in/providers/${idp}/try`, {})).authorization_url;
}

/** The cookies that a browser sends when another site sent it here: those of a session stay at home. */
export function browserFromElsewhere(server: TestServer, client: Client): Client {
	const browser = new Client(server);
	for (const [name, value] of client.cookies) if (name.includes("oauth2-tx")) browser.cookies.set(name, value);
	return browser;
}

async function readTry(admin: Client, location: string): Promise<{ readonly id: string; readonly report: TryReport }> {
	const id = /\/settings\/sign-in\?try=([\w-]+)$/.exec(location)?.[1];
	if (id === undefined) throw new Error(`the browser was sent to ${location}`);
	return { id, report: await admin.data("GET", `/v1/sign_in/tries/${id}`) };
}

/** Accounts and sessions as the database has them: what no try may change. */
export function accountsOf(server: TestServer): unknown {
	const db = new DatabaseSync(join(server.workingDir, "spanward.db"), { readOnly: true });
	try {
		return {
			users: db.prepare("select * from users order by id").all(),
			sessions: db.prepare("select sid, user_id from login_sessions order by id").all(),
			keys: db.prepare("select id from api_keys order by id").all(),
		};
	} finally {
		db.close();
	}
}

/** The step that says why it ended. */
export function failedStep({ steps }: Pick<TryReport, "steps">): ReportedStep | undefined {
	return steps.findLast(({ outcome }) => outcome === "failed");
}
