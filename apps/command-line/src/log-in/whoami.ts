import type { Invocation } from "../invocation.ts";
import { formatFields } from "../table.ts";
import { accountOf } from "./account.ts";

/** `spanward whoami` */
export async function whoami(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const { url, profile } = await invocation.target();
	const spanward = await invocation.connect();
	const account = await accountOf(spanward);
	const { version } = await spanward.api.get("/version");
	if (terminal.isJson) {
		await terminal.printJson({ url, profile: profile ?? null, ...account, version });
		return undefined;
	}
	const lines = formatFields(terminal, [
		["user", account.username ?? "anybody: the server asks for no log-in"],
		["email", account.email],
		["role", account.role],
		["with", account.credential?.replace("_", " ").replace("oauth", "OAuth")],
		["may", account.credential === null ? null : (account.permissions?.join(", ") ?? "all that this user may")],
		["projects", account.credential === null ? null : (account.projects?.join(", ") ?? "all that this user sees")],
		["until", account.expires_at],
		["server", url],
		["version", version],
		["profile", profile],
	]);
	for (const line of lines) await terminal.print(line);
	return undefined;
}
