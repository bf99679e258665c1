import type { Dataset } from "@spanward/client";
import type { ReactNode } from "react";
import { useMayChange } from "../../homes/use-may-change.ts";
import { ownServer } from "../../lib/snippet-server.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { texts } from "../../texts/en.ts";
import { Button } from "../../ui/button.tsx";
import { CodeSnippets } from "../../ui/code-snippets.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { ExamplesSearch } from "./search.ts";
import { exampleSnippets } from "./snippets.ts";

const TEXTS = dataTexts.examples;

/** Why no examples are listed. */
export function NoExamples({
	dataset,
	search,
	onReset,
}: {
	dataset: Dataset | undefined;
	search: ExamplesSearch;
	onReset: () => void;
}): ReactNode {
	const mayChange = useMayChange(dataset);
	if (search.q || search.split) {
		return (
			<EmptyState
				title={search.q ? TEXTS.noMatch(search.q) : TEXTS.noneInSplit}
				actions={<Button onClick={onReset}>{texts.filter.clear}</Button>}
			/>
		);
	}
	if (search.version !== undefined) return <EmptyState title={TEXTS.noneInVersion} />;
	return (
		<div className="min-h-0 flex-1 overflow-auto">
			<EmptyState title={TEXTS.none} text={mayChange ? TEXTS.noneText : undefined} className="pb-6" />
			{dataset && mayChange && (
				<div className="mx-auto max-w-2xl px-4 pb-8">
					<CodeSnippets snippets={exampleSnippets(ownServer(), dataset.name)} />
				</div>
			)}
		</div>
	);
}
