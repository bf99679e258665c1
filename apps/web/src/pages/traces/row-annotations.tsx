import type { ShownAnnotation } from "@spanward/client";
import type { ReactNode } from "react";
import { UNKNOWN } from "../../lib/format.ts";
import { texts } from "../../texts/en.ts";

const SHOWN = 3;

/** What was said about a row, in short; a click filters by it. */
export function RowAnnotations({
	annotations,
	isTrace,
	onFilter,
}: {
	annotations: readonly ShownAnnotation[];
	/** The row is a whole trace, of which spans' annotations are found otherwise. */
	isTrace: boolean;
	onFilter: (expression: string) => void;
}): ReactNode {
	if (annotations.length === 0) return <span className="text-muted">{UNKNOWN}</span>;
	return (
		<span className="flex min-w-0 gap-1">
			{annotations.slice(0, SHOWN).map((annotation) => (
				<button
					key={annotation.id}
					type="button"
					tabIndex={-1}
					title={texts.filter.by(annotation.name, shortValue(annotation))}
					onClick={() => onFilter(expressionOf(annotation, isTrace))}
					className="flex h-5 min-w-0 items-center gap-1 rounded bg-sunken px-1.5 text-sm hover:text-accent"
				>
					<span className="truncate text-muted">{annotation.name}</span>
					<span className="min-w-6 truncate">{shortValue(annotation)}</span>
				</button>
			))}
			{annotations.length > SHOWN && <span className="text-muted text-sm">{`+${annotations.length - SHOWN}`}</span>}
		</span>
	);
}

function shortValue({ result: { label, score, explanation } }: ShownAnnotation): string {
	return label ?? (score === null ? (explanation ?? "") : String(Number(score.toPrecision(3))));
}

/** The expression that finds what has the same name and label, or score. */
function expressionOf({ target, name, result: { label, score } }: ShownAnnotation, isTrace: boolean): string {
	const [field, value] = label === null ? ["score", score] : ["label", label];
	const [quoted, condition] = [JSON.stringify(name), `${field} == ${JSON.stringify(value)}`];
	if (isTrace && target === "span") {
		const rest = value === null ? "" : ` and a.${condition}`;
		return `any(a.name == ${quoted}${rest} for a in span_annotations)`;
	}
	const annotation = `${target === "trace" ? "trace_annotations" : "annotations"}[${quoted}]`;
	return value === null ? annotation : `${annotation}.${condition}`;
}
