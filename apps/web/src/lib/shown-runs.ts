import { localSetting } from "./local-setting.ts";

/** Ids of the runs that this browser shows, as JSON: those it started and nobody has dismissed. */
export const shownRuns = localSetting("bulk-runs");

export function idsOfShown(text: string | undefined): readonly string[] {
	if (text === undefined) return [];
	try {
		const ids: unknown = JSON.parse(text);
		return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
	} catch (error) {
		if (error instanceof SyntaxError) return [];
		throw error;
	}
}

export function showRun(id: string): void {
	shownRuns.set(JSON.stringify([id, ...idsOfShown(shownRuns.get())].slice(0, 20)));
}

export function dismissRun(id: string): void {
	const left = idsOfShown(shownRuns.get()).filter((each) => each !== id);
	shownRuns.set(left.length === 0 ? undefined : JSON.stringify(left));
}
