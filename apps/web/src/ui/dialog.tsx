import { Dialog as Base } from "@base-ui/react/dialog";
import X from "lucide-react/icons/x";
import { type ReactNode, useRef } from "react";
import { texts } from "../texts/en.ts";
import { classNames } from "./class-names.ts";

export interface DialogProps {
	readonly open: boolean;
	readonly onOpenChange: (open: boolean) => void;
	readonly title: string;
	/** The title is only for screen readers. */
	readonly hideTitle?: boolean;
	readonly children: ReactNode;
	readonly className?: string;
	/** A click beside it does not close it: what it shows cannot be shown again. */
	readonly staysOnPress?: boolean;
}

/** What one writes in or copies first; on a touch screen none, since the keyboard would cover the dialog. */
function firstField(popup: HTMLElement | null): HTMLElement | null {
	if (window.matchMedia("(pointer: coarse)").matches) return null;
	return popup?.querySelector<HTMLElement>("input:not([hidden]), select, textarea, [data-first] button") ?? null;
}

/** A modal dialog in the middle of the page; keeps the focus until it closes, then gives it back. */
export function Dialog({
	open,
	onOpenChange,
	title,
	hideTitle,
	children,
	className,
	staysOnPress = false,
}: DialogProps): ReactNode {
	const popup = useRef<HTMLDivElement>(null);
	return (
		<Base.Root open={open} onOpenChange={(next: boolean) => onOpenChange(next)} disablePointerDismissal={staysOnPress}>
			<Base.Portal>
				<Base.Backdrop className="fixed inset-0 z-40 bg-shade" />
				<Base.Popup
					ref={popup}
					initialFocus={() => firstField(popup.current) ?? true}
					data-keeps-keys
					className={classNames(
						"popup-surface fixed top-[12vh] left-1/2 z-50 flex max-h-[76vh] w-[min(32rem,calc(100vw-1rem))] -translate-x-1/2 flex-col",
						className,
					)}
				>
					{hideTitle ? (
						<Base.Title className="sr-only">{title}</Base.Title>
					) : (
						<div className="flex items-center justify-between border-line border-b py-2 pr-2 pl-4">
							<Base.Title className="font-semibold text-lg">{title}</Base.Title>
							{/* No tooltip: Escape would close that first. */}
							<Base.Close
								aria-label={texts.action.close}
								className="inline-flex size-7 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink"
							>
								<X size={16} aria-hidden />
							</Base.Close>
						</div>
					)}
					{children}
				</Base.Popup>
			</Base.Portal>
		</Base.Root>
	);
}
