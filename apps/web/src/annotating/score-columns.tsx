import type { ShownAnnotation } from "@spanward/client";
import type { ReactNode } from "react";
import { quoted } from "../filtering/conditions.ts";
import { UNKNOWN } from "../lib/format.ts";
import { texts } from "../texts/en.ts";
import type { ListColumn } from "../ui/grid-layout.ts";
import { formatScore } from "./annotation-value.tsx";
import { scoreKey } from "./score-key.ts";
import type { AnnotationName } from "./use-annotation-names.ts";

/** Called with an expression of the filter language, to filter by it or to exclude what it holds for. */
export type FilterByScore = (expression: string, isExcluded: boolean) => void;

export interface ScoreColumnsOptions<Row> {
	readonly rows: readonly Row[];
	/** The annotations of a row, the newest first. */
	readonly annotationsOf: (row: Row) => readonly ShownAnnotation[];
	/** The names of the project's annotations, of which the rows may show only some. */
	readonly names: readonly AnnotationName[];
	/** What the rows are. Annotations of spans need another expression where rows are whole traces. */
	readonly target: "span" | "trace" | "session";
	readonly onFilter: FilterByScore;
}

/**
 * A column for each name that annotations of such rows have: its score (the mean of several) and its newest label. A
 * click filters by it, Alt+click by its absence. Names that only spans have are offered for traces, but not shown before
 * a root span has one.
 */
export function scoreColumns<Row>(options: ScoreColumnsOptions<Row>): ListColumn<Row>[] {
	const { rows, annotationsOf, names, target, onFilter } = options;
	const shown = Map.groupBy(rows.flatMap(annotationsOf), ({ name }) => name);
	const known = Map.groupBy(
		names.filter((each) => each.target === target || (target === "trace" && each.target === "span")),
		({ name }) => name,
	);
	return [...new Set([...shown.keys(), ...known.keys()])]
		.toSorted((a, b) => a.localeCompare(b))
		.map((name) => {
			const annotations = shown.get(name) ?? [];
			const told = known.get(name) ?? [];
			const hasScores = annotations.some(({ result }) => result.score !== null) || told.some((each) => each.has_scores);
			const hasOthers = annotations.some(({ result }) => result.score === null) || told.some((each) => each.has_labels);
			return {
				key: scoreKey(name),
				title: name,
				...(hasScores && !hasOthers ? { width: 84, align: "right" as const } : { width: 112 }),
				sortNote: texts.columns.onlyScored,
				// Only numbers have an order.
				sortable: hasScores,
				isDynamic: annotations.length > 0 || told.some((each) => each.target === target),
				cell: (row) => {
					const annotations = annotationsOf(row).filter((annotation) => annotation.name === name);
					return <Score annotations={annotations} isTrace={target === "trace"} onFilter={onFilter} />;
				},
			};
		});
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
