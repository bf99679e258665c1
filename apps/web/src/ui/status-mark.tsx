import CircleX from "lucide-react/icons/circle-x";
import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { RunMark, type RunState } from "./run-state.tsx";

/** A span's or trace's status: a red cross for errors, a ring for what has no end, a quiet dot for the rest. */
export function StatusMark({
	error,
	state = "ended",
	className,
}: {
	error: boolean;
	state?: RunState;
	className?: string;
}): ReactNode {
	if (error) {
		return (
			<span title={texts.status.error} className={`inline-flex shrink-0 text-danger ${className ?? ""}`}>
				<CircleX size={14} aria-hidden />
				<span className="sr-only">{texts.status.error}</span>
			</span>
		);
	}
	if (state !== "ended") return <RunMark state={state} className={className} />;
	return (
		<span className={`inline-flex size-3.5 shrink-0 items-center justify-center ${className ?? ""}`}>
			<span className="size-1.5 rounded-full bg-line-strong" />
			<span className="sr-only">{texts.status.ok}</span>
		</span>
	);
}
