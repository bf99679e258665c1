import type { ReactNode } from "react";
import { Heatmap, type HeatmapProps } from "./heatmap.tsx";
import { Histogram } from "./histogram.tsx";

/** How a number is spread, over time or in all. */
export function SpreadChart({ isHeatmap, ...props }: HeatmapProps & { readonly isHeatmap: boolean }): ReactNode {
	const { sync: _sync, onZoom: _onZoom, ...spread } = props;
	return isHeatmap ? <Heatmap {...props} /> : <Histogram {...spread} />;
}
