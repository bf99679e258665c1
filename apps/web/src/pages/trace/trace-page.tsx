import type { ReactNode } from "react";
import type { TraceViewProps } from "../../lib/trace-panel.ts";
import { TraceView } from "./trace-view.tsx";

/** A trace on its own page. */
export function TracePage(props: Omit<TraceViewProps, "onClose">): ReactNode {
	return <TraceView {...props} />;
}

/** A trace beside a list. */
export function TracePanel(props: TraceViewProps): ReactNode {
	return <TraceView {...props} />;
}
