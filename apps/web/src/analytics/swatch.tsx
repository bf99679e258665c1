import type { ReactNode } from "react";
import { classNames } from "../ui/class-names.ts";

/** The colour of a line or group; what it is of stands beside it. */
export function Swatch({ color, className }: { color: string; className?: string }): ReactNode {
	return (
		<span
			aria-hidden
			className={classNames("inline-block size-2.5 shrink-0 rounded-[2px]", className)}
			style={{ background: `var(--${color})` }}
		/>
	);
}
