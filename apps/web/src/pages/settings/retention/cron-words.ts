import { dataSettingsTexts } from "../../../texts/data-settings-en.ts";

const TEXTS = dataSettingsTexts.cron;
const NUMBER = /^\d{1,2}$/;
const STEP = /^\*\/(\d{1,2})$/;

/** A cron expression in words; the expression itself if there is no short wording. */
export function cronWords(text: string): string {
	const fields = text.trim().split(/\s+/);
	const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
	const isDaily = day === "*" && month === "*" && weekday === "*";
	if (fields.length !== 5 || month !== "*") return TEXTS.other(text.trim());
	if (isDaily && hour === "*") {
		const every = STEP.exec(minute)?.[1];
		if (minute === "*" || every === "1") return TEXTS.everyMinute;
		if (every) return TEXTS.everyMinutes(every);
		return NUMBER.test(minute) ? TEXTS.everyHourAt(minute) : TEXTS.other(text.trim());
	}
	const everyHours = STEP.exec(hour)?.[1];
	if (isDaily && everyHours && NUMBER.test(minute)) return TEXTS.everyHours(everyHours, minute);
	if (!NUMBER.test(minute) || !NUMBER.test(hour)) return TEXTS.other(text.trim());
	const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
	if (isDaily) return TEXTS.dailyAt(time);
	if (day === "*" && /^[0-7](,[0-7])*$/.test(weekday)) {
		const days = weekday.split(",").map((each) => TEXTS.days[Number(each) % 7]);
		return TEXTS.weeklyAt(days.join(", "), time);
	}
	if (weekday === "*" && NUMBER.test(day)) return TEXTS.monthlyAt(day, time);
	return TEXTS.other(text.trim());
}
