import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from "react";
import { localSetting, useLocalSetting } from "../../lib/local-setting.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { useElementWidth } from "./use-element-width.ts";

const setting = localSetting("trace-split");
const LEAST = 25;
const MOST = 75;
const FIRST = 46;
/** Below this width the parts stand one above the other. */
const STACKED_BELOW = 760;

/** Two parts side by side with a handle between them; one column where there is no room for two. */
export function SplitPane({ left, right }: { left: ReactNode; right: ReactNode }): ReactNode {
	const box = useRef<HTMLDivElement>(null);
	const width = useElementWidth(box);
	const [stored, store] = useLocalSetting(setting);
	const share = clamp(Number(stored ?? FIRST) || FIRST);
	const stacked = width > 0 && width < STACKED_BELOW;

	const onPointerMove = (event: PointerEvent<HTMLElement>) => {
		if (!event.currentTarget.hasPointerCapture(event.pointerId) || !box.current) return;
		const bounds = box.current.getBoundingClientRect();
		store(String(Math.round(clamp(((event.clientX - bounds.left) / bounds.width) * 100) * 10) / 10));
	};
	const onKeyDown = (event: KeyboardEvent) => {
		const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
		if (step === undefined) return;
		event.preventDefault();
		store(String(clamp(share + step)));
	};

	return (
		<div
			ref={box}
			data-stacked={stacked || undefined}
			className="group/split flex min-h-0 flex-1 data-stacked:flex-col data-stacked:overflow-y-auto"
		>
			<div
				style={stacked ? {} : { width: `${share}%` }}
				className="flex min-h-0 shrink-0 flex-col group-data-stacked/split:max-h-[42dvh]"
			>
				{left}
			</div>
			{!stacked && (
				// biome-ignore lint/a11y/useSemanticElements: a thematic break cannot be moved
				<div
					role="separator"
					aria-orientation="vertical"
					aria-label={texts.resize}
					aria-valuenow={Math.round(share)}
					aria-valuemin={LEAST}
					aria-valuemax={MOST}
					tabIndex={0}
					onKeyDown={onKeyDown}
					onDoubleClick={() => store(undefined)}
					onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
					onPointerMove={onPointerMove}
					className="relative z-10 w-px shrink-0 cursor-col-resize touch-none bg-line after:absolute after:inset-y-0 after:-left-1 after:w-2.5 hover:bg-accent active:bg-accent"
				/>
			)}
			<div className="flex min-h-0 min-w-0 flex-1 flex-col group-data-stacked/split:flex-none group-data-stacked/split:border-line group-data-stacked/split:border-t">
				{right}
			</div>
		</div>
	);
}

function clamp(share: number): number {
	return Math.min(MOST, Math.max(LEAST, share));
}
