import { type Change, diffWordsWithSpace } from "diff";
import { type ReactNode, useMemo } from "react";
import { TextContent } from "./text-content.tsx";

/** Characters; longer texts are shown without a comparison, as nobody would find the differences. */
const LONGEST = 50_000;
/** Changed words; texts with more have too little in common for a comparison. */
const MOST_CHANGES = 2_000;
const WITHIN_MS = 300;

function useWordChanges(before: string, after: string): readonly Change[] | undefined {
	return useMemo(() => {
		if (before.length + after.length > LONGEST) return;
		return diffWordsWithSpace(before, after, { maxEditLength: MOST_CHANGES, timeout: WITHIN_MS });
	}, [before, after]);
}

/** The second text, with added words and the removed words of the first marked. */
export function WordDiff({ before, after }: { before: string; after: string }): ReactNode {
	const changes = useWordChanges(before, after);
	if (changes === undefined) return <TextContent text={after} plain />;
	return <Marked changes={changes} />;
}

/** Two texts that differ, each with the words that the other does not have marked: two elements, for two columns. */
export function WordDiffColumns({ before, after }: { before: string; after: string }): ReactNode {
	const changes = useWordChanges(before, after);
	if (changes === undefined) {
		return (
			<>
				<TextContent text={before} plain />
				<TextContent text={after} plain />
			</>
		);
	}
	return (
		<>
			<Marked changes={changes.filter(({ added }) => !added)} />
			<Marked changes={changes.filter(({ removed }) => !removed)} />
		</>
	);
}

function Marked({ changes }: { changes: readonly Change[] }): ReactNode {
	return (
		<div className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
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
