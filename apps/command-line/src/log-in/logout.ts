import { changeCredentials, type Profile, readCredentials } from "../credentials.ts";
import { CommandFailure, usageFailure } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { toFailure } from "../to-failure.ts";

/** `spanward logout`: ends one log-in, or all, and forgets them. */
export async function logout(invocation: Invocation): Promise<undefined> {
	const { io, terminal } = invocation;
	const { current, profiles } = await readCredentials(io.environment);
	const named = invocation.value("profile") ?? current;
	const ended = invocation.has("all") ? Object.keys(profiles) : named === undefined ? [] : [named];
	const unknown = ended.find((name) => !Object.hasOwn(profiles, name));
	if (unknown !== undefined) throw usageFailure(`There is no profile ${unknown}: spanward profiles lists them.`);
	const forgotten: Profile[] = [];
	if (ended.length > 0) {
		await changeCredentials(
			io.environment,
			(credentials) => {
				const all = Object.entries(credentials.profiles);
				forgotten.push(...all.flatMap(([name, profile]) => (ended.includes(name) ? [profile] : [])));
				const left = all.filter(([name]) => !ended.includes(name));
				const next =
					credentials.current !== undefined && !ended.includes(credentials.current) ? credentials.current : undefined;
				return { profiles: Object.fromEntries(left), ...(next !== undefined && { current: next }) };
			},
			io.signal,
		);
	}
	terminal.note(ended.length === 0 ? "There was no log-in." : `Forgotten: ${ended.join(", ")}.`);
	await endAll(invocation, forgotten);
	return undefined;
}

/** @throws CommandFailure when a server could not be told; the others are */
async function endAll({ io }: Invocation, profiles: readonly Profile[]): Promise<void> {
	const withTokens = profiles.filter(({ tokens }) => tokens !== undefined);
	if (withTokens.length === 0) return;
	const { endAuthorizations } = await import("./oauth.ts");
	const failures: CommandFailure[] = [];
	for (const profile of withTokens) {
		try {
			await endAuthorizations(profile);
		} catch (error) {
			const { exitCode, message } = toFailure(error, io);
			const what = `${profile.url} could not be told: ${message} End it there in Settings → Connected apps.`;
			failures.push(new CommandFailure(exitCode, what));
		}
	}
	const [first] = failures;
	if (first !== undefined) throw new CommandFailure(first.exitCode, failures.map(({ message }) => message).join("\n"));
}
