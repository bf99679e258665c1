import { type ReactNode, useId, useMemo, useState } from "react";
import { formatDuration, formatInteger } from "../../lib/format.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { SpanKindIcon } from "../../ui/span-kind.tsx";
import { type GraphLayout, layOutGraph, type Point, STEP_HEIGHT, STEP_WIDTH } from "./graph-layout.ts";
import { type GraphMode, type Step, stepGraph } from "./step-graph.ts";
import type { TraceTree } from "./trace-tree.ts";

const TEXTS = texts.graph;

/** The steps of a trace as a graph; a click selects the next span of a step. */
export function GraphPane({
	tree,
	selected,
	onSelect,
}: {
	tree: TraceTree;
	/** Position of the selected span. */
	selected: number;
	onSelect: (position: number) => void;
}): ReactNode {
	const [mode, setMode] = useState<GraphMode>("order");
	const graph = useMemo(() => stepGraph(tree, mode), [tree, mode]);
	const layout = useMemo(() => layOutGraph(graph), [graph]);
	return (
		<div className="flex min-h-0 flex-1 flex-col">
			<div className="flex shrink-0 flex-wrap items-center gap-2 px-2 pb-1.5">
				<SegmentedControl
					label={TEXTS.mode}
					value={mode}
					onChange={setMode}
					choices={[
						{ value: "order", label: TEXTS.order },
						{ value: "calls", label: TEXTS.calls },
					]}
				/>
				{graph.edges.some(({ isLoop }) => isLoop) && <span className="text-muted text-sm">{TEXTS.loops}</span>}
				{graph.hidden > 0 && (
					<span role="status" className="text-muted text-sm">
						{TEXTS.hidden(graph.hidden)}
					</span>
				)}
			</div>
			<section className="min-h-0 flex-1 overflow-auto" aria-label={TEXTS.label}>
				<div className="relative mx-auto" style={{ width: layout.width, height: layout.height }}>
					<Edges layout={layout} />
					{graph.steps.map((step) => (
						<StepBox key={step.key} step={step} place={layout.places.get(step.key)} {...{ selected, onSelect }} />
					))}
				</div>
			</section>
		</div>
	);
}

function StepBox({
	step,
	place,
	selected,
	onSelect,
}: {
	step: Step;
	place: Point | undefined;
	selected: number;
	onSelect: (position: number) => void;
}): ReactNode {
	const { positions, errors, kind, name, totalMs } = step;
	const at = positions.indexOf(selected);
	const facts = [
		positions.length > 1 ? `× ${formatInteger(positions.length)}` : undefined,
		formatDuration(totalMs),
		errors > 0 ? TEXTS.errors(errors) : undefined,
	].filter(Boolean);
	return (
		<button
			type="button"
			aria-pressed={at >= 0}
			title={positions.length > 1 ? TEXTS.next(name, positions.length) : name}
			onClick={() => onSelect(positions[(at + 1) % positions.length] ?? 0)}
			style={{ left: place?.x, top: place?.y, width: STEP_WIDTH, height: STEP_HEIGHT }}
			className={classNames(
				"absolute flex flex-col justify-center rounded border bg-canvas px-2 text-left hover:bg-hover",
				errors > 0 ? "border-danger" : "border-line-strong",
				"aria-pressed:bg-accent-soft aria-pressed:outline-2 aria-pressed:outline-accent",
			)}
		>
			<span className="flex min-w-0 items-center gap-1.5">
				<SpanKindIcon kind={kind} />
				<span className="truncate font-medium">{name || texts.unnamed}</span>
			</span>
			<span className={classNames("truncate text-sm", errors > 0 ? "text-danger" : "text-muted")}>
				{facts.join(" · ")}
			</span>
		</button>
	);
}

function Edges({ layout }: { layout: GraphLayout }): ReactNode {
	const id = useId();
	return (
		<svg width={layout.width} height={layout.height} aria-hidden className="absolute inset-0 overflow-visible">
			<defs>
				{(["edge", "loop"] as const).map((kind) => (
					<marker
						key={kind}
						id={`${id}-${kind}`}
						viewBox="0 0 8 8"
						refX="7"
						refY="4"
						markerWidth="7"
						markerHeight="7"
						orient="auto-start-reverse"
					>
						<path d="M0 0 8 4 0 8z" className={kind === "loop" ? "fill-warn" : "fill-muted"} />
					</marker>
				))}
			</defs>
			{layout.edges.map(({ from, to, count, isLoop, points }) => {
				const middle = points[Math.floor(points.length / 2)];
				return (
					<g key={`${from} ${to}`}>
						<path
							d={pathThrough(points)}
							fill="none"
							strokeDasharray={isLoop ? "5 3" : undefined}
							strokeWidth={1.25}
							markerEnd={`url(#${id}-${isLoop ? "loop" : "edge"})`}
							className={isLoop ? "stroke-warn" : "stroke-muted"}
						/>
						{(count > 1 || isLoop) && middle && (
							<text
								x={middle.x}
								y={middle.y + 4}
								textAnchor="middle"
								className={classNames(
									"text-xs [paint-order:stroke] [stroke-width:4px]",
									isLoop ? "fill-warn" : "fill-muted",
								)}
								stroke="var(--canvas)"
							>
								{isLoop ? `↻ ${formatInteger(count)}` : formatInteger(count)}
							</text>
						)}
					</g>
				);
			})}
		</svg>
	);
}

/** A smooth line through the points: curves whose control points are the given ones. */
function pathThrough(points: readonly Point[]): string {
	const [first, ...rest] = points;
	const last = rest.at(-1);
	if (!first || !last) return "";
	const curves = rest.slice(0, -1).map((point, index) => {
		const next = rest[index + 1] ?? last;
		const end = index === rest.length - 2 ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
		return `Q${point.x} ${point.y} ${end.x} ${end.y}`;
	});
	return `M${first.x} ${first.y}${curves.length > 0 ? curves.join("") : `L${last.x} ${last.y}`}`;
}
