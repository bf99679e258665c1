import { Menu as Base } from "@base-ui/react/menu";
import Check from "lucide-react/icons/check";
import type { KeyboardEvent, ReactElement, ReactNode } from "react";
import { classNames } from "./class-names.ts";

const ITEM =
	"flex min-h-7 pointer-coarse:min-h-11 cursor-default select-none items-center gap-2 rounded px-2 outline-none data-[highlighted]:bg-hover data-[disabled]:opacity-50 data-[status=active]:text-accent";

export interface MenuProps {
	/** The button that opens it. */
	readonly trigger: ReactElement<Record<string, unknown>>;
	readonly children: ReactNode;
	readonly align?: "start" | "center" | "end";
	readonly side?: "top" | "bottom" | "left" | "right";
	readonly className?: string;
}

export function Menu({ trigger, children, align = "start", side = "bottom", className }: MenuProps): ReactNode {
	return (
		<Base.Root modal={false}>
			<Base.Trigger render={trigger} />
			<Base.Portal>
				<Base.Positioner align={align} side={side} sideOffset={4} collisionPadding={8} className="z-40">
					<Base.Popup
						data-keeps-keys
						className={classNames(
							"popup-surface max-h-[min(28rem,var(--available-height))] min-w-44 overflow-auto p-1",
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

export interface MenuItemProps {
	readonly icon?: ReactNode;
	readonly onClick?: () => void;
	readonly disabled?: boolean;
	readonly danger?: boolean;
	/** False where the menu stays open, as it says what came of it. */
	readonly closeOnClick?: boolean;
	/** A link to render as, when it goes somewhere. */
	readonly render?: ReactElement<Record<string, unknown>>;
	readonly hint?: ReactNode;
	readonly children: ReactNode;
}

export function MenuItem({
	icon,
	onClick,
	disabled,
	danger,
	closeOnClick = true,
	render,
	hint,
	children,
}: MenuItemProps): ReactNode {
	return (
		<Base.Item
			{...(onClick ? { onClick } : {})}
			closeOnClick={closeOnClick}
			{...(disabled ? { disabled } : {})}
			{...(render ? { render } : {})}
			className={classNames(ITEM, danger && "text-danger")}
		>
			{icon}
			<span className="min-w-0 flex-1 truncate">{children}</span>
			{hint !== undefined && <span className="text-muted text-sm">{hint}</span>}
		</Base.Item>
	);
}

export interface MenuChoice<T extends string> {
	readonly value: T;
	readonly label: ReactNode;
	readonly icon?: ReactNode;
}

export interface MenuChoicesProps<T extends string> {
	readonly label?: string;
	readonly value: T;
	readonly onChange: (value: T) => void;
	readonly choices: readonly MenuChoice<T>[];
}

/** One of several. */
export function MenuChoices<T extends string>({ label, value, onChange, choices }: MenuChoicesProps<T>): ReactNode {
	return (
		<Base.RadioGroup
			value={value}
			onValueChange={(next: unknown) => {
				const choice = choices.find((each) => each.value === next);
				if (choice) onChange(choice.value);
			}}
		>
			{label && <MenuLabel>{label}</MenuLabel>}
			{choices.map((choice) => (
				<Base.RadioItem key={choice.value} value={choice.value} closeOnClick className={ITEM}>
					<span className="flex size-4 items-center">
						<Base.RadioItemIndicator>
							<Check size={14} aria-hidden />
						</Base.RadioItemIndicator>
					</span>
					{choice.icon}
					<span className="flex-1">{choice.label}</span>
				</Base.RadioItem>
			))}
		</Base.RadioGroup>
	);
}

export interface MenuCheckProps {
	readonly checked: boolean;
	readonly onChange: (checked: boolean) => void;
	readonly disabled?: boolean;
	readonly onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
	readonly children: ReactNode;
}

export function MenuCheck({ checked, onChange, disabled, onKeyDown, children }: MenuCheckProps): ReactNode {
	return (
		<Base.CheckboxItem
			checked={checked}
			onCheckedChange={(next: boolean) => onChange(next)}
			{...(disabled ? { disabled } : {})}
			{...(onKeyDown ? { onKeyDown } : {})}
			className={ITEM}
		>
			<span className="flex size-4 items-center">
				<Base.CheckboxItemIndicator>
					<Check size={14} aria-hidden />
				</Base.CheckboxItemIndicator>
			</span>
			{children}
		</Base.CheckboxItem>
	);
}

export function MenuLabel({ children }: { children: ReactNode }): ReactNode {
	return <div className="px-2 pt-1.5 pb-1 text-muted text-sm">{children}</div>;
}

export function MenuSeparator(): ReactNode {
	return <Base.Separator className="my-1 border-line border-t" />;
}
