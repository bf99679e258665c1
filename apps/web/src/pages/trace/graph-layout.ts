import { Graph, layout } from "@dagrejs/dagre";
import type { StepEdge, StepGraph } from "./step-graph.ts";

export const STEP_WIDTH = 176;
export const STEP_HEIGHT = 46;

export interface Point {
	readonly x: number;
	readonly y: number;
}

export interface GraphLayout {
	readonly width: number;
	readonly height: number;
	/** Upper left corners, by key. */
	readonly places: ReadonlyMap<string, Point>;
	readonly edges: readonly (StepEdge & { readonly points: readonly Point[] })[];
}

/** Places the steps from top to bottom, in pixels. */
export function layOutGraph({ steps, edges }: StepGraph): GraphLayout {
	const graph = new Graph({ directed: true });
	graph.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 44, marginx: 12, marginy: 12 });
	graph.setDefaultEdgeLabel(() => ({}));
	for (const { key } of steps) graph.setNode(key, { width: STEP_WIDTH, height: STEP_HEIGHT });
	for (const { from, to } of edges) graph.setEdge(from, to, { width: 28, height: 14, labelpos: "c" });
	layout(graph);
	const { width = 0, height = 0 } = graph.graph();
	return {
		width,
		height,
		places: new Map(
			steps.map(({ key }) => {
				const { x = 0, y = 0 } = graph.node(key);
				return [key, { x: x - STEP_WIDTH / 2, y: y - STEP_HEIGHT / 2 }];
			}),
		),
		edges: edges.map((edge) => ({ ...edge, points: graph.edge(edge.from, edge.to)?.points ?? [] })),
	};
}
