// The texts of the page in the languages in which Microsoft publishes the specification of the format. Findings,
// measures and messages of the library are in English.

export const LANGUAGES: [string, string][] = [
  ["en", "English"],
  ["fr", "Français"],
  ["ko", "한국어"],
  ["ru", "Русский"],
  ["zh-Hans", "简体中文"],
  ["zh-Hant", "繁體中文"],
];

/** The texts, each in the order of `LANGUAGES`. */
const TEXTS: Record<string, [string, string, string, string, string, string]> = {
  open: ["Open…", "Ouvrir…", "열기…", "Открыть…", "打开…", "開啟…"],
  saveAs: ["Save as…", "Enregistrer sous…", "다른 이름으로 저장…", "Сохранить как…", "另存为…", "另存新檔…"],
  saved: ["Saved {name}: {bytes} bytes", "{name} enregistré : {bytes} octets", "{name} 저장됨: {bytes}바이트", "Сохранён {name}: {bytes} байт", "已保存 {name}：{bytes} 字节", "已儲存 {name}：{bytes} 位元組"],
  undo: ["Undo", "Annuler", "실행 취소", "Отменить", "撤销", "復原"],
  redo: ["Redo", "Rétablir", "다시 실행", "Повторить", "重做", "重做"],
  close: ["Close", "Fermer", "닫기", "Закрыть", "关闭", "關閉"],
  overview: ["Overview", "Vue d’ensemble", "전체 보기", "Обзор", "总览", "總覽"],
  live: ["Live", "En direct", "실시간", "Эфир", "实时", "即時"],
  recording: ["Recording…", "Enregistrement…", "녹화 중…", "Идёт запись…", "正在录制…", "正在錄製…"],
  liveEnded: ["{name}: the recording has ended", "{name} : l’enregistrement est terminé", "{name}: 녹화가 끝났습니다", "{name}: запись завершена", "{name}：录制已结束", "{name}：錄製已結束"],
  files: ["Recordings", "Enregistrements", "녹화 목록", "Записи", "录制文件", "錄製檔案"],
  dropHint: ["Drop a recording (.bin) here", "Déposez un enregistrement (.bin) ici", "여기에 녹화 파일(.bin)을 놓으세요", "Перетащите сюда запись (.bin)", "将录制文件（.bin）拖到此处", "將錄製檔案（.bin）拖到此處"],
  nothingUploaded: ["Files stay on your computer: nothing is uploaded.", "Les fichiers restent sur votre ordinateur : rien n’est envoyé.", "파일은 컴퓨터에만 있으며 업로드되지 않습니다.", "Файлы остаются на вашем компьютере: ничего не отправляется.", "文件保留在您的电脑上，不会上传。", "檔案保留在您的電腦上，不會上傳。"],
  recovered: ["The intact part was recovered.", "La partie intacte a été récupérée.", "손상되지 않은 부분을 복구했습니다.", "Восстановлена неповреждённая часть.", "已恢复完好的部分。", "已復原完好的部分。"],
  folderEmpty: ["the folder contains no recordings (.bin)", "le dossier ne contient aucun enregistrement (.bin)", "폴더에 녹화 파일(.bin)이 없습니다", "в папке нет записей (.bin)", "文件夹中没有录制文件（.bin）", "資料夾中沒有錄製檔案（.bin）"],
  folderUnreadable: ["the browser cannot read this folder: drop the recordings in it instead", "le navigateur ne peut pas lire ce dossier : déposez plutôt les enregistrements qu’il contient", "브라우저가 이 폴더를 읽을 수 없습니다. 폴더 안의 녹화 파일을 놓으세요", "браузер не может прочитать эту папку: перетащите записи из неё", "浏览器无法读取此文件夹：请拖放其中的录制文件", "瀏覽器無法讀取此資料夾：請拖放其中的錄製檔案"],
  unknownError: ["unknown error", "erreur inconnue", "알 수 없는 오류", "неизвестная ошибка", "未知错误", "未知錯誤"],
  opened: ["Opened", "Ouvert", "열림", "Открыто", "已打开", "已開啟"],
  hint: ["hint", "conseil", "도움말", "совет", "提示", "提示"],
  camera: ["View", "Vue", "시점", "Вид", "视图", "檢視"],
  "camera.orbit": ["Orbit", "Orbite", "회전", "Вращение", "环绕", "環繞"],
  "camera.top": ["Top", "Dessus", "위", "Сверху", "顶部", "上方"],
  "camera.front": ["Front", "Face", "앞", "Спереди", "前方", "前方"],
  "camera.head": ["Through the head", "Depuis la tête", "머리 시점", "От головы", "头部视角", "頭部視角"],
  "camera.follow": ["Follow the head", "Suivre la tête", "머리 따라가기", "За головой", "跟随头部", "跟隨頭部"],
  trails: ["Trails", "Traces", "궤적", "Следы", "轨迹", "軌跡"],
  theme: ["Theme", "Thème", "테마", "Тема", "主题", "佈景主題"],
  "theme.system": ["System", "Système", "시스템", "Системная", "系统", "系統"],
  "theme.light": ["Light", "Clair", "밝게", "Светлая", "浅色", "淺色"],
  "theme.dark": ["Dark", "Sombre", "어둡게", "Тёмная", "深色", "深色"],
  position: ["Position", "Position", "위치", "Положение", "位置", "位置"],
  left: ["Left hand", "Main gauche", "왼손", "Левая рука", "左手", "左手"],
  right: ["Right hand", "Main droite", "오른손", "Правая рука", "右手", "右手"],
  head: ["Head", "Tête", "머리", "Голова", "头部", "頭部"],
  play: ["Play", "Lire", "재생", "Воспроизвести", "播放", "播放"],
  pause: ["Pause", "Pause", "일시 정지", "Пауза", "暂停", "暫停"],
  toStart: ["To the start", "Au début", "처음으로", "К началу", "跳到开头", "移至開頭"],
  previousKey: ["Previous key", "Clé précédente", "이전 키", "Предыдущий ключ", "上一个关键帧", "上一個關鍵影格"],
  nextKey: ["Next key", "Clé suivante", "다음 키", "Следующий ключ", "下一个关键帧", "下一個關鍵影格"],
  rate: ["Speed", "Vitesse", "속도", "Скорость", "速度", "速度"],
  loop: ["Loop", "Boucle", "반복", "Повтор", "循环", "循環"],
  setIn: ["Set the in point", "Point d’entrée", "시작점 설정", "Начало отрезка", "设置入点", "設定入點"],
  setOut: ["Set the out point", "Point de sortie", "끝점 설정", "Конец отрезка", "设置出点", "設定出點"],
  clearRange: ["Clear in and out", "Effacer les points", "구간 지우기", "Сбросить отрезок", "清除入点和出点", "清除入點和出點"],
  zoomIn: ["Zoom in", "Zoom avant", "확대", "Увеличить", "放大", "放大"],
  zoomOut: ["Zoom out", "Zoom arrière", "축소", "Уменьшить", "缩小", "縮小"],
  plot: ["Plot", "Graphique", "그래프", "График", "图表", "圖表"],
  off: ["No plot", "Sans graphique", "그래프 없음", "Без графика", "无图表", "無圖表"],
  speed: ["Speed", "Vitesse", "속력", "Скорость", "速率", "速率"],
  aperture: ["Aperture", "Ouverture", "손가락 간격", "Раскрытие", "指间距", "指間距"],
  gaze: ["Gaze", "Regard", "시선", "Взгляд", "视线", "視線"],
  difference: ["Difference", "Différence", "차이", "Различие", "差异", "差異"],
  nothingToPlot: ["No data to plot", "Rien à tracer", "표시할 데이터 없음", "Нет данных", "没有可显示的数据", "沒有可顯示的資料"],
  panels: ["Panels", "Volets", "패널", "Панели", "面板", "面板"],
  findings: ["Findings", "Constats", "검사 결과", "Проверка", "检查结果", "檢查結果"],
  info: ["Info", "Infos", "정보", "Сведения", "信息", "資訊"],
  markers: ["Markers", "Marqueurs", "마커", "Метки", "标记", "標記"],
  edit: ["Edit", "Modifier", "편집", "Правка", "编辑", "編輯"],
  diff: ["Differences", "Différences", "차이", "Различия", "差异", "差異"],
  measures: ["Measures", "Mesures", "측정값", "Измерения", "测量", "測量"],
  examining: ["Examining…", "Examen…", "검사 중…", "Проверка…", "正在检查…", "正在檢查…"],
  examineAgain: ["Examine again", "Examiner à nouveau", "다시 검사", "Проверить снова", "重新检查", "重新檢查"],
  cancel: ["Cancel", "Annuler", "취소", "Отмена", "取消", "取消"],
  cancelled: ["Cancelled", "Annulé", "취소됨", "Отменено", "已取消", "已取消"],
  tookTooLong: ["Stopped, because it took long and other recordings waited", "Arrêté, car le calcul était long et d’autres enregistrements attendaient", "시간이 오래 걸려 다른 녹화를 위해 중지했습니다", "Остановлено: вычисление было долгим, а другие записи ждали", "已停止：用时过长，其他录制正在等待", "已停止：耗時過長，其他錄製正在等待"],
  crashed: ["Internal error: the recording may be unusual, or there is too little memory. Reload the page if it does not respond.", "Erreur interne : l’enregistrement est peut-être inhabituel, ou la mémoire insuffisante. Rechargez la page si elle ne répond pas.", "내부 오류: 녹화가 특이하거나 메모리가 부족할 수 있습니다. 페이지가 응답하지 않으면 새로 고치세요.", "Внутренняя ошибка: запись необычна или не хватает памяти. Если страница не отвечает, перезагрузите её.", "内部错误：录制可能异常，或内存不足。如果页面没有响应，请重新加载。", "內部錯誤：錄製可能異常，或記憶體不足。如果頁面沒有回應，請重新載入。"],
  healthy: ["No problems found: the recording is intact.", "Rien à signaler : l’enregistrement est intact.", "문제가 없습니다. 녹화가 온전합니다.", "Замечаний нет: запись цела.", "未发现问题：录制完好。", "未發現問題：錄製完好。"],
  note: ["Note", "Remarque", "참고", "Заметка", "备注", "備註"],
  warning: ["Warning", "Avertissement", "경고", "Предупреждение", "警告", "警告"],
  damage: ["Damage", "Dommage", "손상", "Повреждение", "损坏", "損壞"],
  goTo: ["Go to", "Aller à", "이동:", "Перейти к", "转到", "移至"],
  repair: ["Repair", "Réparer", "복구", "Исправить", "修复", "修復"],
  repaired: ["Repaired {keys} keys; {left} findings remain", "{keys} clés réparées ; {left} constats restants", "키 {keys}개 복구, 남은 항목 {left}개", "Исправлено ключей: {keys}; осталось замечаний: {left}", "已修复 {keys} 个关键帧；剩余 {left} 项", "已修復 {keys} 個關鍵影格；剩餘 {left} 項"],
  trimFrozen: ["Cut off the frozen end", "Couper la fin figée", "멈춘 끝부분 자르기", "Отрезать застывший конец", "剪掉冻结的结尾", "剪掉凍結的結尾"],
  trim: ["Trim", "Rogner", "자르기", "Обрезать", "剪辑", "剪輯"],
  mirror: ["Mirror", "Symétrie", "좌우 반전", "Отразить", "镜像", "鏡像"],
  smooth: ["Smooth", "Lisser", "부드럽게", "Сгладить", "平滑", "平滑"],
  resample: ["Resample", "Rééchantillonner", "리샘플", "Новая частота", "重新采样", "重新取樣"],
  reduce: ["Reduce keys", "Réduire les clés", "키 줄이기", "Сократить ключи", "减少关键帧", "減少關鍵影格"],
  trimHelp: ["Keep the range between the in and out points:", "Garder l’intervalle entre les points :", "시작점과 끝점 사이만 유지:", "Оставить отрезок:", "保留入点和出点之间：", "保留入點和出點之間："],
  repairHelp: ["Repair damage by MRTK, and invalid keys.", "Réparer les dommages de MRTK et les clés invalides.", "MRTK의 손상과 잘못된 키를 복구합니다.", "Исправить повреждения от MRTK и неверные ключи.", "修复 MRTK 造成的损坏和无效的关键帧。", "修復 MRTK 造成的損壞和無效的關鍵影格。"],
  mirrorHelp: ["Left becomes right.", "La gauche devient la droite.", "왼쪽과 오른쪽을 바꿉니다.", "Левое становится правым.", "左右互换。", "左右互換。"],
  smoothHelp: ["Remove noise with a One Euro filter.", "Réduire le bruit avec un filtre One Euro.", "One Euro 필터로 잡음을 줄입니다.", "Убрать шум фильтром One Euro.", "用 One Euro 滤波器去除噪声。", "用 One Euro 濾波器去除雜訊。"],
  resampleHelp: ["Replace all keys by 60 keys per second.", "Remplacer les clés par 60 clés par seconde.", "모든 키를 초당 60개로 바꿉니다.", "Заменить ключи на 60 ключей в секунду.", "将所有关键帧替换为每秒 60 个。", "將所有關鍵影格取代為每秒 60 個。"],
  reduceHelp: ["Remove keys that interpolation reproduces within 1 mm and 0.2°.", "Supprimer les clés que l’interpolation reproduit à 1 mm et 0,2° près.", "보간으로 1 mm, 0.2° 이내에서 재현되는 키를 제거합니다.", "Удалить ключи, воспроизводимые с точностью 1 мм и 0,2°.", "删除插值误差在 1 毫米和 0.2° 以内的关键帧。", "刪除插值誤差在 1 公釐和 0.2° 以內的關鍵影格。"],
  history: ["History", "Historique", "기록", "История", "历史记录", "歷程記錄"],
  layout: ["Layout", "Format", "레이아웃", "Формат", "布局", "配置"],
  duration: ["Duration", "Durée", "길이", "Длительность", "时长", "長度"],
  size: ["Size", "Taille", "크기", "Размер", "大小", "大小"],
  keys: ["Keys", "Clés", "키", "Ключи", "关键帧", "關鍵影格"],
  stream: ["Stream", "Flux", "스트림", "Поток", "数据流", "資料流"],
  rateColumn: ["Rate", "Fréquence", "주파수", "Частота", "频率", "頻率"],
  gap: ["Longest gap", "Plus long trou", "가장 긴 공백", "Макс. пропуск", "最长间隔", "最長間隔"],
  marker: ["Marker", "Marqueur", "마커", "Метка", "标记", "標記"],
  markerName: ["Name of the marker", "Nom du marqueur", "마커 이름", "Название метки", "标记名称", "標記名稱"],
  addMarker: ["Add marker", "Ajouter un marqueur", "마커 추가", "Добавить метку", "添加标记", "新增標記"],
  renameMarker: ["Rename marker", "Renommer le marqueur", "마커 이름 변경", "Переименовать метку", "重命名标记", "重新命名標記"],
  moveMarker: ["Move marker", "Déplacer le marqueur", "마커 이동", "Переместить метку", "移动标记", "移動標記"],
  removeMarker: ["Remove marker", "Supprimer le marqueur", "마커 삭제", "Удалить метку", "删除标记", "移除標記"],
  moveHere: ["Move to the current time", "Déplacer ici", "현재 시간으로 이동", "Переместить сюда", "移到当前时间", "移至目前時間"],
  remove: ["Remove", "Supprimer", "삭제", "Удалить", "删除", "移除"],
  noMarkers: ["No markers", "Aucun marqueur", "마커 없음", "Меток нет", "没有标记", "沒有標記"],
  diffWith: ["Compare with…", "Comparer avec…", "비교 대상…", "Сравнить с…", "比较对象…", "比較對象…"],
  diffHelp: ["Open a second recording to compare.", "Ouvrez un second enregistrement pour comparer.", "비교하려면 두 번째 녹화를 여세요.", "Откройте вторую запись для сравнения.", "打开第二个录制以进行比较。", "開啟第二個錄製以進行比較。"],
  original: ["The file before your changes", "Le fichier avant vos modifications", "변경 전 파일", "Файл до изменений", "修改前的文件", "修改前的檔案"],
  equal: ["Equal", "Égaux", "동일함", "Одинаковы", "相同", "相同"],
  equivalent: ["Equivalent: within 1 mm and 0.2°", "Équivalents : à 1 mm et 0,2° près", "동등함: 1 mm, 0.2° 이내", "Равноценны: до 1 мм и 0,2°", "等效：在 1 毫米和 0.2° 以内", "等效：在 1 公釐和 0.2° 以內"],
  different: ["Different", "Différents", "다름", "Различаются", "不同", "不同"],
  rotation: ["Rotation", "Rotation", "회전", "Поворот", "旋转", "旋轉"],
  largestAt: ["Largest at", "Maximum à", "최대 시점", "Максимум в", "最大处", "最大處"],
  measure: ["Measure", "Mesure", "측정값", "Величина", "测量项", "測量項"],
  value: ["Value", "Valeur", "값", "Значение", "值", "值"],
  enterVr: ["Enter VR", "Entrer en VR", "VR 시작", "Войти в VR", "进入 VR", "進入 VR"],
  enterAr: ["Enter AR", "Entrer en AR", "AR 시작", "Войти в AR", "进入 AR", "進入 AR"],
  record: ["Record", "Enregistrer", "녹화", "Записать", "录制", "錄製"],
  stopRecording: ["Stop recording", "Arrêter", "녹화 중지", "Остановить запись", "停止录制", "停止錄製"],
  recordedHands: ["Recorded {seconds} s in {frames} frames", "{seconds} s enregistrées, {frames} images", "{seconds}초, {frames}프레임 녹화됨", "Записано {seconds} с, кадров: {frames}", "已录制 {seconds} 秒，{frames} 帧", "已錄製 {seconds} 秒，{frames} 影格"],
};

let index = 0;

/** Returns the language of the browser if the page supports it. */
export function preferred(): string {
  for (const language of navigator.languages) {
    const code = language.toLowerCase();
    if (/^zh-(tw|hk|mo|hant)/.test(code)) return "zh-Hant";
    if (code.startsWith("zh")) return "zh-Hans";
    const found = LANGUAGES.find(([known]) => code.split("-")[0] === known);
    if (found) return found[0];
  }
  return "en";
}

export function setLanguage(language: string): void {
  index = Math.max(LANGUAGES.findIndex(([code]) => code === language), 0);
}

/** Returns a text in the current language, with values for `{names}`. */
export function text(key: string, values: Record<string, string | number> = {}): string {
  const found = TEXTS[key]?.[index] ?? key;
  return found.replace(/\{(\w+)\}/g, (all, name: string) => String(values[name] ?? all));
}
