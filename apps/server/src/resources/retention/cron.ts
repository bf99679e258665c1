import { Cron } from "croner";

/** When policies without a cron expression run: every night. */
export const DEFAULT_CRON = "0 3 * * *";

/** What is wrong with a cron expression; undefined when it is valid. */
export function cronProblem(cron: string): string | undefined {
	const fields = cron.trim().split(/\s+/);
	if (fields.length !== 5) return "a cron expression has five fields: minute, hour, day, month, day of the week";
	if (fields.some((field) => !/^[\dA-Za-z*/,\-#?]{1,60}$/.test(field))) {
		return "a field has numbers, names, *, -, / and commas";
	}
	try {
		return nextTime(cron, 0) === undefined ? "this time never comes" : undefined;
	} catch (error) {
		return error instanceof Error ? error.message.replace(/^Cron\w+: /, "") : String(error);
	}
}

/**
 * The first time after `micros` at which a cron expression is due, microseconds since 1970, UTC; undefined if never.
 * @throws Error for an invalid cron expression
 */
export function nextTime(cron: string, micros: number): number | undefined {
	const times = new Cron(cron, { mode: "5-part", utcOffset: 0, paused: true });
	const next = times.nextRun(new Date(micros / 1_000));
	return next === null ? undefined : next.getTime() * 1_000;
}
