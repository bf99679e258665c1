import { classNames } from "./class-names.ts";

export type ButtonLook = "plain" | "quiet" | "primary" | "danger";

const LOOKS: Record<ButtonLook, string> = {
	plain: "border border-line-strong bg-surface text-ink hover:bg-hover",
	quiet: "border border-transparent text-ink hover:bg-hover",
	primary: "border border-transparent bg-accent text-on-accent hover:bg-accent-strong",
	danger: "border border-danger bg-surface text-danger hover:bg-danger-soft",
};

/** Class names of a button, for links that look like one. */
export function buttonClass(look: ButtonLook = "plain", extra?: string): string {
	return classNames(
		"inline-flex h-7 shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded px-2.5 text-base",
		"pointer-coarse:h-11 pointer-coarse:px-3.5 disabled:pointer-events-none disabled:opacity-50 aria-disabled:opacity-50 data-[popup-open]:bg-hover",
		LOOKS[look],
		extra,
	);
}
