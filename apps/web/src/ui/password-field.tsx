import Eye from "lucide-react/icons/eye";
import EyeOff from "lucide-react/icons/eye-off";
import { type ComponentProps, type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { signInTexts } from "../texts/sign-in-en.ts";
import { classNames } from "./class-names.ts";
import { Input } from "./input.tsx";

const TEXTS = signInTexts.password;

export interface PasswordFieldProps extends ComponentProps<"input"> {
	readonly label: string;
	/** Below the field: the rules, a hint. */
	readonly children?: ReactNode;
}

/** A field for a password that can be shown, and that says when Caps Lock is on. */
export function PasswordField({ label, children, className, ...props }: PasswordFieldProps): ReactNode {
	const id = useId();
	const [shown, setShown] = useState(false);
	const [capsLock, setCapsLock] = useState(false);
	const watch = (event: KeyboardEvent) => setCapsLock(event.getModifierState("CapsLock"));
	return (
		<div className="flex flex-col gap-1">
			<label htmlFor={id} className="text-muted text-sm">
				{label}
			</label>
			<span className="relative flex">
				<Input
					{...props}
					id={id}
					type={shown ? "text" : "password"}
					autoCapitalize="none"
					onKeyDown={watch}
					onKeyUp={watch}
					onBlur={() => setCapsLock(false)}
					className={classNames("h-9 w-full pr-10", className)}
				/>
				<button
					type="button"
					aria-label={shown ? TEXTS.hide : TEXTS.show}
					aria-controls={id}
					onClick={() => setShown(!shown)}
					className="absolute inset-y-0 right-0 flex w-9 items-center justify-center rounded text-muted hover:text-ink"
				>
					{shown ? <EyeOff size={16} aria-hidden /> : <Eye size={16} aria-hidden />}
				</button>
			</span>
			<span role="status" className="text-sm text-warn">
				{capsLock && TEXTS.capsLock}
			</span>
			{children}
		</div>
	);
}
