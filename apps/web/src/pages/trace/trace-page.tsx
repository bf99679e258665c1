import type { ReactNode } from "react";
import type { TraceViewProps } from "../../lib/trace-panel.ts";

export function TracePanel({ traceId }: TraceViewProps): ReactNode {
	return <p>{traceId}</p>;
}

export function TracePage(props: TraceViewProps): ReactNode {
	return <TracePanel {...props} />;
}
