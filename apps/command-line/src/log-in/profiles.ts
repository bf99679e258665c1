import { changeCredentials, readCredentials } from "../credentials.ts";
import { usageFailure } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { formatTable } from "../table.ts";

/** `spanward profiles` */
export async function listProfiles({ io, terminal }: Invocation): Promise<undefined> {
	const { current, profiles } = await readCredentials(io.environment);
	const rows = Object.entries(profiles).map(([name, { url, key, tokens }]) => ({
		name,
		url,
		has_key: key !== undefined,
		logged_in_for: Object.keys(tokens ?? {}),
		is_current: name === current,
	}));
	if (terminal.isJson) {
		for (const row of rows) await terminal.printJson(row);
		return undefined;
	}
	if (rows.length === 0) {
		terminal.note("There is no log-in yet: spanward login <address>.");
		return undefined;
	}
	const lines = formatTable(
		terminal,
		[
			{ title: "NAME", value: ({ name, is_current: isCurrent }) => (isCurrent ? `* ${name}` : `  ${name}`) },
			{ title: "ADDRESS", value: ({ url }) => url, isText: true },
			{ title: "WITH", value: ({ has_key: hasKey, logged_in_for: audiences }) => kept(hasKey, audiences) },
		],
		rows,
	);
	for (const line of lines) await terminal.print(line);
	return undefined;
}

function kept(hasKey: boolean, audiences: readonly string[]): string {
	const all = [...(hasKey ? ["key"] : []), ...audiences.map((audience) => `log-in for ${audience.toUpperCase()}`)];
	return all.join(", ") || "the address alone";
}

/** `spanward profiles use` */
export async function useProfile(invocation: Invocation): Promise<undefined> {
	const name = invocation.argument(0);
	await changeCredentials(invocation.io.environment, (credentials) => {
		if (!Object.hasOwn(credentials.profiles, name))
			throw usageFailure(`There is no profile ${name}: spanward profiles lists them.`);
		return { ...credentials, current: name };
	});
	invocation.terminal.note(`Commands use ${name} now.`);
	return undefined;
}
