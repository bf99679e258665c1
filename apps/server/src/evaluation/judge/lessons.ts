/** How a judge is asked for a verdict: by a schema, by a tool that it has to call, or in words alone. */
export const VERDICT_MODES = ["json_schema", "tool", "text"] as const;
export type VerdictMode = (typeof VERDICT_MODES)[number];

/** What was found out about a model of a connection, for a day. Names are `verdict:` and what works. */
export interface Lessons {
	/** Those that are not older than a day. */
	find(connectionId: number, model: string): Promise<ReadonlySet<string>>;
	/** Begins its day anew where it is known. */
	learn(connectionId: number, model: string, lesson: string): Promise<void>;
	forget(connectionId: number, model: string, lesson: string): Promise<void>;
}

export function lessonOf(mode: VerdictMode): string {
	return `verdict:${mode}`;
}
