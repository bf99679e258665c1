import { type ReactNode, useState } from "react";
import { texts } from "../texts/en.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";
import { UnkeptSecret, useUnkeptSecret } from "./unkept-secret.tsx";

/**
 * Shows a secret that cannot be shown again. Until it was copied, or somebody says that they have it, closing the dialog
 * and leaving the page ask first.
 */
export function ShownOnceDialog({
	title,
	label,
	text,
	secret,
	onClose,
	className,
	children,
}: {
	title: string;
	/** What the secret is. */
	label: string;
	text: string;
	secret: string;
	onClose: () => void;
	className?: string;
	children?: ReactNode;
}): ReactNode {
	const [isCopied, setCopied] = useState(false);
	const [isClosing, setClosing] = useState(false);
	const leaving = useUnkeptSecret(!isCopied);
	const isLeaving = leaving.status === "blocked";
	const stay = () => {
		setClosing(false);
		leaving.reset?.();
	};
	const close = () => {
		if (isCopied) onClose();
		else if (isClosing || isLeaving) stay();
		else setClosing(true);
	};
	return (
		<Dialog open onOpenChange={close} title={title} staysOnPress {...(className ? { className } : {})}>
			{isClosing || isLeaving ? (
				<UnkeptSecret label={label} onStay={stay} onLeave={() => (isLeaving ? leaving.proceed() : onClose())} />
			) : (
				<div className="flex flex-col gap-3 overflow-auto p-4">
					<p role="status" className="rounded bg-warn-soft px-3 py-2 text-warn">
						{text}
					</p>
					<section
						aria-label={label}
						// Focused first, so that pressing Enter twice on the previous form copies the secret, and does not close the dialog.
						data-first
						// Also by hand.
						onCopy={() => setCopied(true)}
						className="flex items-center gap-1 rounded border border-line bg-sunken py-1 pr-1 pl-3"
					>
						<code className="min-w-0 flex-1 font-mono text-sm [overflow-wrap:anywhere]">{secret}</code>
						<CopyButton text={secret} label={texts.action.copyNamed(label)} onCopied={() => setCopied(true)} />
					</section>
					{children}
					<Button look="primary" className="self-end" onClick={onClose}>
						{texts.unkept.kept}
					</Button>
				</div>
			)}
		</Dialog>
	);
}
