import ChevronDown from "lucide-react/icons/chevron-down";
import type { ComponentProps, ReactNode } from "react";
import { buttonClass } from "./button-class.ts";

/** A button that opens a menu of values, with what is chosen. */
export function MenuButton({
	label,
	value,
	...props
}: Omit<ComponentProps<"button">, "value"> & { readonly label: string; readonly value: string }): ReactNode {
	return (
		<button type="button" {...props} className={buttonClass("plain", "min-w-0 max-w-64 shrink")}>
			<span className="text-muted">{label}</span>
			<span className="truncate">{value}</span>
			<ChevronDown size={14} aria-hidden className="shrink-0 text-muted" />
		</button>
	);
}
