import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";

/** One for the whole app: the second tooltip in a row opens without delay. */
export function TooltipProvider({ children }: { children: ReactNode }): ReactNode {
	return <Base.Provider delay={500}>{children}</Base.Provider>;
}

export interface TooltipProps {
	readonly text: ReactNode;
	readonly side?: "top" | "bottom" | "left" | "right";
	/** One element that takes a ref and event handlers. */
	readonly children: ReactElement<Record<string, unknown>>;
}

/** Explains an element on hover and focus. Never the only place of a fact: it is not there on touch screens. */
export function Tooltip({ text, side = "bottom", children }: TooltipProps): ReactNode {
	return (
		<Base.Root>
			<Base.Trigger render={children} />
			<Base.Portal>
				<Base.Positioner side={side} sideOffset={6} collisionPadding={8} className="z-50">
					<Base.Popup className="popup-surface max-w-80 px-2 py-1 text-sm text-ink">{text}</Base.Popup>
				</Base.Positioner>
			</Base.Portal>
		</Base.Root>
	);
}
