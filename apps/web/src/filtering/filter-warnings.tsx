import type { FilterProblem } from "@spanward/filter-language";
import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";

/** Under the search field: what the filter that is applied asks for and probably does not mean. */
export function FilterWarnings(props: {
	readonly filter: string;
	readonly warnings: readonly FilterProblem[];
	/** Asks for the filter with a suggestion in place. */
	readonly onFix: (filter: string) => void;
}): ReactNode {
	const { filter, warnings, onFix } = props;
	return (
		<ul
			aria-label={texts.filter.warnings}
			className="shrink-0 border-line border-b bg-warn-soft px-4 py-1 text-sm text-warn"
		>
			{warnings.map(({ message, position, length, suggestions }) => (
				<li key={position} className="flex flex-wrap items-center gap-x-2 [overflow-wrap:anywhere]">
					{texts.filter.warning(message)}
					{suggestions.map((suggestion) => (
						<button
							key={suggestion}
							type="button"
							onClick={() => onFix(filter.slice(0, position) + suggestion + filter.slice(position + length))}
							className="rounded border border-line-strong px-2 font-mono text-ink hover:bg-hover"
						>
							{texts.filter.instead(suggestion)}
						</button>
					))}
				</li>
			))}
		</ul>
	);
}
