import CircleDashed from "lucide-react/icons/circle-dashed";
import LoaderCircle from "lucide-react/icons/loader-circle";
import type { ReactNode } from "react";
import { formatDuration } from "../lib/format.ts";
import { useSeconds } from "../lib/time.ts";
import { texts } from "../texts/en.ts";
import { classNames } from "./class-names.ts";

/** Whether something has an end; `unfinished` has none, and was not heard of for long. */
export type RunState = "ended" | "running" | "unfinished";

/** A turning ring for what runs, a dashed one for what never ended. */
export function RunMark({
	state,
	className,
}: {
	state: Exclude<RunState, "ended">;
	className?: string | undefined;
}): ReactNode {
	const Icon = state === "running" ? LoaderCircle : CircleDashed;
	return (
		<span
			title={texts.runState[state]}
			className={classNames("inline-flex shrink-0", state === "running" ? "text-accent" : "text-muted", className)}
		>
			<Icon
				size={14}
				aria-hidden
				className={state === "running" ? "motion-safe:animate-spin [animation-duration:2s]" : ""}
			/>
			<span className="sr-only">{texts.runState[state]}</span>
		</span>
	);
}

export interface RunDurationProps {
	readonly state: RunState;
	/** When it started: a time of the wire, or milliseconds since 1970. */
	readonly since: string | number;
	/** How long it took; null without an end. */
	readonly ms: number | null;
	/** Shows the ring as well, where no mark beside it says that it runs. */
	readonly isMarked?: boolean;
}

/** How long something took, or has been running: the time since its start, by this computer's clock. */
export function RunDuration({ state, since, ms, isMarked = false }: RunDurationProps): ReactNode {
	const now = useSeconds(state === "running");
	if (state === "ended") return formatDuration(ms);
	if (state === "unfinished") return <span className="text-muted">{texts.runState.unfinished}</span>;
	const seconds = Math.max(0, Math.floor((now - new Date(since).getTime()) / 1000));
	const text = seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
	return (
		<span title={texts.runState.runningFor(text)} className="text-accent">
			{isMarked && <RunMark state={state} className="mr-1 align-text-bottom" />}
			{text}
			{!isMarked && <span className="sr-only">{` ${texts.runState.running}`}</span>}
		</span>
	);
}
