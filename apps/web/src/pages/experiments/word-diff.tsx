import { diffWordsWithSpace } from "diff";
import { type ReactNode, useMemo } from "react";
import { TextContent } from "../../ui/content/text-content.tsx";

/** Characters; longer texts are shown without a comparison, as nobody would find the differences. */
const LONGEST = 50_000;
/** Changed words; texts with more have too little in common for a comparison. */
const MOST_CHANGES = 2_000;
const WITHIN_MS = 300;

/** The second text, with added words and the removed words of the first marked. */
export function WordDiff({ before, after }: { before: string; after: string }): ReactNode {
	const changes = useMemo(() => {
		if (before.length + after.length > LONGEST) return;
		return diffWordsWithSpace(before, after, { maxEditLength: MOST_CHANGES, timeout: WITHIN_MS });
	}, [before, after]);
	if (changes === undefined) return <TextContent text={after} plain />;
	return (
		<div className="whitespace-pre-wrap [overflow-wrap:anywhere]">
			{changes.map(({ value, added, removed }, index) => {
				if (added) {
					return (
						<ins key={index} className="rounded-sm bg-accent-soft text-ink decoration-accent underline-offset-2">
							{value}
						</ins>
					);
				}
				if (removed) {
					return (
						<del key={index} className="rounded-sm bg-danger-soft text-danger">
							{value}
						</del>
					);
				}
				return value;
			})}
		</div>
	);
}

/** The text of an output for comparing words: a string, also if it is the only member of an object, else JSON. */
export function outputText(output: unknown): string {
	if (output === undefined || output === null) return "";
	if (typeof output === "string") return output;
	if (typeof output === "object" && !Array.isArray(output)) {
		const members = Object.values(output);
		if (members.length === 1 && typeof members[0] === "string") return members[0];
	}
	return JSON.stringify(output, undefined, 2);
}
