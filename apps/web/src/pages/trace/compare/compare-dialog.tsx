import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { compareTracesTexts as TEXTS } from "../../../texts/compare-traces-en.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { PickTrace, type PickTraceProps } from "./pick-trace.tsx";

/** Asks for another trace, and goes to the comparison with it. */
export function CompareDialog({
	project,
	trace,
	traceId,
	onClose,
}: Omit<PickTraceProps, "onPick"> & { onClose: () => void }): ReactNode {
	const navigate = useNavigate();
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.pick.title} className="w-[min(44rem,calc(100vw-1rem))]">
			<PickTrace
				project={project}
				trace={trace}
				traceId={traceId}
				onPick={(other) => {
					onClose();
					void navigate({
						to: "/p/$project/traces/$trace/compare",
						params: { project, trace: traceId },
						search: { with: other.traceId, ...(other.project === project ? {} : { in: other.project }) },
					});
				}}
			/>
		</Dialog>
	);
}
