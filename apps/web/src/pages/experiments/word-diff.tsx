import { diffWordsWithSpace } from "diff";
import { type ReactNode, useMemo } from "react";
import { TextContent } from "../../ui/content/text-content.tsx";

/** Longer texts are shown as they are: what differs in them nobody would find. */
const LONGEST = 50_000;
/** Texts that differ in more words have too little in common. */
const MOST_CHANGES = 2_000;
const WITHIN_MS = 300;

/** The second text, with the words that it has beyond the first, and those of the first that it lacks. */
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

/** An output as the text that words are compared in: a text as it is, also as the only member of an object. */
export function outputText(output: unknown): string {
	if (output === undefined || output === null) return "";
	if (typeof output === "string") return output;
	if (typeof output === "object" && !Array.isArray(output)) {
		const members = Object.values(output);
		if (members.length === 1 && typeof members[0] === "string") return members[0];
	}
	return JSON.stringify(output, undefined, 2);
}
