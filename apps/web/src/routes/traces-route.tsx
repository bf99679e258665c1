import type { ReactNode } from "react";
import { TracesPage } from "../pages/traces/traces-page.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";

const TracePanel = lazyPart(() => import("../pages/trace/trace-page.tsx"), "TracePanel");

/** The list with the trace view beside it; pages do not import each other, so they meet here. */
export function TracesRoute(): ReactNode {
	return <TracesPage TraceView={TracePanel} />;
}
