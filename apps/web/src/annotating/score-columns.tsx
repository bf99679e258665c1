import type { ShownAnnotation } from "@spanward/client";
import type { ReactNode } from "react";
import { quoted } from "../filtering/conditions.ts";
import { UNKNOWN } from "../lib/format.ts";
import { texts } from "../texts/en.ts";
import type { ListColumn } from "../ui/grid-layout.ts";
import { formatScore } from "./annotation-value.tsx";
import { scoreKey } from "./score-key.ts";

/** Called with an expression of the filter language, to filter by it or to exclude what it holds for. */
export type FilterByScore = (expression: string, isExcluded: boolean) => void;

/**
 * A column for each name that the rows' annotations have: its score (the mean of several) and its newest label. A click
 * filters by it, Alt+click by its absence.
 * @param annotationsOf of a row, the newest first
 * @param isTrace whether rows are whole traces, where annotations of spans need another expression
 */
export function scoreColumns<Row>(
	rows: readonly Row[],
	annotationsOf: (row: Row) => readonly ShownAnnotation[],
	isTrace: boolean,
	onFilter: FilterByScore,
): ListColumn<Row>[] {
	const results = Map.groupBy(rows.flatMap(annotationsOf), ({ name }) => name);
	return [...results]
		.toSorted(([a], [b]) => a.localeCompare(b))
		.map(([name, annotations]) => ({
			key: scoreKey(name),
			title: name,
			...(annotations.every(({ result }) => result.score !== null)
				? { width: 84, align: "right" as const }
				: { width: 112 }),
			sortNote: texts.columns.onlyScored,
			// Only numbers have an order.
			sortable: annotations.some(({ result }) => result.score !== null),
			isDynamic: true,
			cell: (row) => {
				const annotations = annotationsOf(row).filter((annotation) => annotation.name === name);
				return <Score annotations={annotations} isTrace={isTrace} onFilter={onFilter} />;
			},
		}));
}

function Score({
	annotations,
	isTrace,
	onFilter,
}: {
	annotations: readonly ShownAnnotation[];
	isTrace: boolean;
	onFilter: FilterByScore;
}): ReactNode {
	const [newest] = annotations;
	if (!newest) return <span className="text-muted">{UNKNOWN}</span>;
	const scores = annotations.map(({ result }) => result.score).filter((score) => score !== null);
	const mean = scores.length === 0 ? undefined : scores.reduce((sum, score) => sum + score, 0) / scores.length;
	const text =
		annotations.find(({ result }) => result.label)?.result.label ?? (mean === undefined ? resultText(newest) : "");
	const all = annotations.map(resultText).join(", ");
	return (
		<button
			type="button"
			tabIndex={-1}
			title={texts.filter.byOrNot(newest.name, all)}
			onClick={({ altKey }) => onFilter((altKey ? anyOf : expressionOf)(newest, isTrace), altKey)}
			className="inline-flex max-w-full items-baseline gap-1 hover:text-accent"
		>
			<span className="sr-only">{`${newest.name} `}</span>
			{text && <span className="truncate">{text}</span>}
			{mean !== undefined && <span className={text ? "text-muted" : undefined}>{formatScore(mean)}</span>}
			{annotations.length > 1 && <span className="text-muted text-sm">{`×${annotations.length}`}</span>}
		</button>
	);
}

function resultText({ result: { label, score, explanation } }: ShownAnnotation): string {
	const number = score === null ? undefined : formatScore(score);
	return [label, number].filter(Boolean).join(" ") || (explanation ?? "");
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
	if (target !== "span") return `${target}_annotations`;
	return isTrace ? "span_annotations" : "annotations";
}

function resultCondition({ result: { label, score } }: ShownAnnotation): string | undefined {
	if (label !== null) return `label == ${quoted(label)}`;
	return score === null ? undefined : `score == ${score}`;
}
