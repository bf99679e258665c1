import type { ComponentProps, ReactNode } from "react";
import { type ButtonLook, buttonClass } from "./button-class.ts";
import { classNames } from "./class-names.ts";
import { Tooltip } from "./tooltip.tsx";

export interface ButtonProps extends ComponentProps<"button"> {
	readonly look?: ButtonLook;
}

export function Button({ look = "plain", className, type = "button", ...props }: ButtonProps): ReactNode {
	return <button type={type} className={buttonClass(look, className)} {...props} />;
}

export interface IconButtonProps extends ComponentProps<"button"> {
	/** Its name for everybody: accessible name and tooltip. */
	readonly label: string;
	/** Shown in the tooltip after the label, such as `j`. */
	readonly shortcut?: string;
	readonly pressed?: boolean;
}

/** A square button that shows only an icon. */
export function IconButton({ label, shortcut, pressed, className, children, ...props }: IconButtonProps): ReactNode {
	return (
		<Tooltip text={shortcut ? `${label} (${shortcut})` : label}>
			<button
				type="button"
				aria-label={label}
				{...(pressed === undefined ? {} : { "aria-pressed": pressed })}
				className={classNames(
					"inline-flex size-7 shrink-0 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11",
					"disabled:pointer-events-none disabled:opacity-40 aria-pressed:bg-accent-soft aria-pressed:text-accent data-[popup-open]:bg-hover",
					className,
				)}
				{...props}
			>
				{children}
			</button>
		</Tooltip>
	);
}
