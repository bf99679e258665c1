import { Popover as Base } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface PopoverProps {
	readonly trigger: ReactElement<Record<string, unknown>>;
	/** Names the popup for screen readers. */
	readonly label: string;
	readonly children: ReactNode;
	readonly open?: boolean;
	readonly onOpenChange?: (open: boolean) => void;
	readonly align?: "start" | "center" | "end";
	readonly className?: string;
}

export function Popover({
	trigger,
	label,
	children,
	open,
	onOpenChange,
	align = "start",
	className,
}: PopoverProps): ReactNode {
	return (
		<Base.Root
			{...(open === undefined ? {} : { open })}
			{...(onOpenChange ? { onOpenChange: (next: boolean) => onOpenChange(next) } : {})}
		>
			<Base.Trigger render={trigger} />
			<Base.Portal>
				<Base.Positioner align={align} sideOffset={4} collisionPadding={8} className="z-40">
					<Base.Popup
						data-keeps-keys
						aria-label={label}
						className={classNames(
							"popup-surface max-h-[var(--available-height)] max-w-[calc(100vw-16px)] overflow-auto p-3",
							className,
						)}
					>
						{children}
					</Base.Popup>
				</Base.Positioner>
			</Base.Portal>
		</Base.Root>
	);
}
