import type { ShownAnnotation } from "@spanward/client";
import type { ReactNode } from "react";
import { quoted } from "../../filtering/conditions.ts";
import { UNKNOWN } from "../../lib/format.ts";
import { texts } from "../../texts/en.ts";

const SHOWN = 3;

/** Short forms of a row's annotations; a click filters by one, Alt+click by its absence. */
export function RowAnnotations({
	annotations,
	isTrace,
	onFilter,
}: {
	annotations: readonly ShownAnnotation[];
	/** Whether the row is a whole trace, where annotations of spans need another expression. */
	isTrace: boolean;
	onFilter: (expression: string, isExcluded: boolean) => void;
}): ReactNode {
	if (annotations.length === 0) return <span className="text-muted">{UNKNOWN}</span>;
	return (
		<span className="flex min-w-0 gap-1">
			{annotations.slice(0, SHOWN).map((annotation) => (
				<button
					key={annotation.id}
					type="button"
					tabIndex={-1}
					title={texts.filter.byOrNot(annotation.name, shortValue(annotation))}
					onClick={({ altKey }) => onFilter((altKey ? anyOf : expressionOf)(annotation, isTrace), altKey)}
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

/** The expression for rows with an annotation of the same name and label, or score. */
function expressionOf(annotation: ShownAnnotation, isTrace: boolean): string {
	const { target, name } = annotation;
	if (isTrace && target === "span") return anyOf(annotation, isTrace);
	const condition = resultCondition(annotation);
	return `${collectionOf(target, false)}[${quoted(name)}]${condition ? `.${condition}` : ""}`;
}

/** The same as a condition that is also defined for rows without annotations, so that it can be negated. */
function anyOf(annotation: ShownAnnotation, isTrace: boolean): string {
	const condition = resultCondition(annotation);
	const both = `a.name == ${quoted(annotation.name)}${condition ? ` and a.${condition}` : ""}`;
	return `any(${both} for a in ${collectionOf(annotation.target, isTrace)})`;
}

function collectionOf(target: ShownAnnotation["target"], isTrace: boolean): string {
	if (target === "trace") return "trace_annotations";
	return isTrace ? "span_annotations" : "annotations";
}

function resultCondition({ result: { label, score } }: ShownAnnotation): string | undefined {
	if (label !== null) return `label == ${quoted(label)}`;
	return score === null ? undefined : `score == ${score}`;
}
