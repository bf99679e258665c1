import { changeCredentials, readCredentials } from "../credentials.ts";
import { usageFailure } from "../failure.ts";
import type { Invocation } from "../invocation.ts";

/** `spanward logout`: forgets one log-in, or all. */
export async function logout(invocation: Invocation): Promise<undefined> {
	const { environment } = invocation.io;
	const { current, profiles } = await readCredentials(environment);
	const named = invocation.value("profile") ?? current;
	const ended = invocation.has("all") ? Object.keys(profiles) : named === undefined ? [] : [named];
	const unknown = ended.find((name) => !Object.hasOwn(profiles, name));
	if (unknown !== undefined) throw usageFailure(`There is no profile ${unknown}: spanward profiles lists them.`);
	if (ended.length > 0) {
		await changeCredentials(environment, (credentials) => {
			const left = Object.entries(credentials.profiles).filter(([name]) => !ended.includes(name));
			const next =
				credentials.current !== undefined && !ended.includes(credentials.current) ? credentials.current : undefined;
			return { profiles: Object.fromEntries(left), ...(next !== undefined && { current: next }) };
		});
	}
	invocation.terminal.note(ended.length === 0 ? "There was no log-in." : `Forgotten: ${ended.join(", ")}.`);
	return undefined;
}
