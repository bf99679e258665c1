import type { ErrorGrouping } from "@spanward/client";
import ChevronRight from "lucide-react/icons/chevron-right";
import type { ReactNode } from "react";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { GroupPart } from "./group-part.tsx";

type Frame = ErrorGrouping["frames"][number];

/** The calls, own code in sight and runs of others folded. */
export function StackPart({ frames }: { frames: readonly Frame[] }): ReactNode {
	return (
		<GroupPart title={TEXTS.stack} text={frames.length === 0 ? TEXTS.noStack : TEXTS.ownFrames}>
			{frames.length > 0 && (
				<ol className="flex flex-col gap-0.5 font-mono text-sm">
					{runsOf(frames).map((run, index) => (
						<li key={index}>{run[0]?.is_own === true ? <Frames frames={run} /> : <Folded frames={run} />}</li>
					))}
				</ol>
			)}
		</GroupPart>
	);
}

function Folded({ frames }: { frames: readonly Frame[] }): ReactNode {
	return (
		<details className="group/frames">
			<summary className="flex w-fit cursor-pointer list-none items-center gap-1 rounded font-sans text-muted hover:text-ink">
				<ChevronRight size={13} aria-hidden className="group-open/frames:rotate-90" />
				{TEXTS.libraryFrames(frames.length)}
			</summary>
			<div className="pl-4 text-muted">
				<Frames frames={frames} />
			</div>
		</details>
	);
}

function Frames({ frames }: { frames: readonly Frame[] }): ReactNode {
	return frames.map((frame, index) => (
		<div key={index} className="[overflow-wrap:anywhere]">
			{TEXTS.inFunction(frame.module, frame.function)}
		</div>
	));
}

/** Neighbours that are all own code, or none of them. */
function runsOf(frames: readonly Frame[]): Frame[][] {
	const runs: Frame[][] = [];
	for (const frame of frames) {
		const last = runs.at(-1);
		if (last?.[0]?.is_own === frame.is_own) last.push(frame);
		else runs.push([frame]);
	}
	return runs;
}
