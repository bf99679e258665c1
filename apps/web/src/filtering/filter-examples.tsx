import type { FilterTarget } from "@spanward/filter-language";
import type { ReactNode } from "react";
import { EXAMPLES, WORDS } from "./examples.ts";
import { filteringTexts } from "./filtering-en.ts";

const TEXTS = filteringTexts.examples;

/** Examples of filters; a click inserts one into the search field. */
export function FilterExamples({
	target,
	onChoose,
}: {
	target: FilterTarget;
	onChoose: (example: string) => void;
}): ReactNode {
	return (
		<div className="flex flex-col gap-2">
			<h2 className="font-semibold">{TEXTS.title}</h2>
			<Examples title={`${TEXTS.words} ${TEXTS.wordsText}`} list={WORDS} onChoose={onChoose} />
			<Examples title={TEXTS.expressions[target]} list={EXAMPLES[target]} onChoose={onChoose} />
			<p className="text-muted text-sm">{TEXTS.missing}</p>
		</div>
	);
}

function Examples({
	title,
	list,
	onChoose,
}: {
	title: string;
	list: readonly string[];
	onChoose: (example: string) => void;
}): ReactNode {
	return (
		<section className="flex flex-col items-start gap-1">
			<h3 className="text-muted text-sm">{title}</h3>
			{list.map((example) => (
				<button
					key={example}
					type="button"
					onClick={() => onChoose(example)}
					className="max-w-full rounded bg-sunken px-2 py-1 text-left font-mono text-sm [overflow-wrap:anywhere] hover:bg-hover"
				>
					{example}
				</button>
			))}
		</section>
	);
}
