import { type ReactNode, useRef } from "react";
import { localSetting } from "../../lib/local-setting.ts";
import { useLocalSetting } from "../../lib/use-local-setting.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { Splitter } from "../../ui/splitter.tsx";
import { useElementWidth } from "./use-element-width.ts";

const setting = localSetting("trace-split");
const DEFAULT_SHARE = 0.54;
/** Below this width (pixels) the parts are stacked. */
const STACKED_BELOW = 760;

/** Two parts side by side with a handle between them; in a narrow space a single column that scrolls as a whole. */
export function SplitPane({ left, right }: { left: ReactNode; right: ReactNode }): ReactNode {
	const box = useRef<HTMLDivElement>(null);
	const width = useElementWidth(box);
	const [share, setShare] = useLocalSetting(setting);

	return (
		<div ref={box} className="flex min-h-0 flex-1">
			{/* The width is known before the first paint; until then nothing is rendered, so that no part is built twice. */}
			{width > 0 && width < STACKED_BELOW && (
				<div data-stacked className="flex min-w-0 flex-1 flex-col overflow-y-auto">
					<div className="flex max-h-[42dvh] shrink-0 flex-col">{left}</div>
					<div className="flex min-w-0 flex-none flex-col border-line border-t">{right}</div>
				</div>
			)}
			{width >= STACKED_BELOW && (
				<>
					<div className="flex min-h-0 min-w-0 flex-1 flex-col">{left}</div>
					<Splitter
						label={texts.resize}
						share={Number(share) || DEFAULT_SHARE}
						onShare={(next) => setShare(String(next))}
					>
						<div className="flex min-h-0 min-w-0 flex-1 flex-col">{right}</div>
					</Splitter>
				</>
			)}
		</div>
	);
}
