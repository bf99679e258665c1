import type { ReactNode } from "react";
import { localSetting } from "../../lib/local-setting.ts";
import { useIsNarrow } from "../../lib/media.ts";
import { useLocalSetting } from "../../lib/use-local-setting.ts";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";
import { Splitter } from "../../ui/splitter.tsx";

const setting = localSetting("review-share");
const DEFAULT_SHARE = 0.3;

/** What is judged at the left, and the form at the right; below each other where there is little room. */
export function TargetFrame({ target, form }: { target: ReactNode; form: ReactNode }): ReactNode {
	const isNarrow = useIsNarrow();
	const [share, setShare] = useLocalSetting(setting);
	if (isNarrow)
		return (
			<div className="flex min-h-0 flex-1 flex-col">
				<section aria-label={TEXTS.target} className="min-h-0 flex-1 overflow-y-auto">
					<div className="flex h-[70dvh] min-w-0 flex-col">{target}</div>
				</section>
				{/* Both are in reach of a thumb, whatever their size. */}
				<div className="flex max-h-[55%] min-h-0 flex-col border-line-strong border-t">{form}</div>
			</div>
		);
	return (
		<div className="flex min-h-0 flex-1">
			<section aria-label={TEXTS.target} className="flex min-h-0 min-w-0 flex-1 flex-col">
				{target}
			</section>
			<Splitter label={TEXTS.resize} share={Number(share) || DEFAULT_SHARE} onShare={(next) => setShare(String(next))}>
				<div className="flex min-h-0 min-w-0 flex-1 flex-col">{form}</div>
			</Splitter>
		</div>
	);
}
