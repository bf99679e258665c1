import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { classNames } from "./class-names.ts";

/** A grey bar in the place of a text that is on its way. */
export function Skeleton({ className }: { className?: string }): ReactNode {
	return <span aria-hidden className={classNames("skeleton block h-3", className)} />;
}

const WIDTHS = ["w-2/3", "w-1/2", "w-3/4", "w-2/5", "w-3/5"];

/** Rows of the height of a list's, while it loads. */
export function SkeletonRows({ rows = 12, className }: { rows?: number; className?: string }): ReactNode {
	return (
		<div role="status" aria-label={texts.state.loading} className={className}>
			{Array.from({ length: rows }, (_, index) => (
				<div key={index} className="flex h-8 items-center gap-4 border-line border-b px-3">
					<Skeleton className="size-3 shrink-0 rounded-full" />
					<Skeleton className="w-24 shrink-0" />
					<div className="flex-1">
						<Skeleton className={WIDTHS[index % WIDTHS.length] ?? ""} />
					</div>
					<Skeleton className="w-14 shrink-0" />
					<Skeleton className="w-14 shrink-0" />
				</div>
			))}
		</div>
	);
}
