; The installer for Windows, for one user and without administrator rights. `cargo xtask dist` builds it
; and defines VERSION, COMPRESSOR, FILES (the folder with the files of the zip), UNINSTALL_LIST (a script that
; removes them) and OUTPUT.
;
; It adds its folder to PATH, and itself to "Open with" for .bin. It does not become the default program
; for .bin, which many programs use.

Unicode true
Target amd64-unicode
!include LogicLib.nsh
!include WinMessages.nsh

Name "inputanim ${VERSION}"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\inputanim"
RequestExecutionLevel user
SetCompressor ${COMPRESSOR}
ManifestLongPathAware true
VIProductVersion "${VERSION}.0"
VIAddVersionKey ProductName inputanim
VIAddVersionKey FileDescription "Installer of inputanim"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey LegalCopyright "MIT OR Apache-2.0"

!define CLASSES "Software\Classes"
!define PROGRAM "inputanim.recording"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\inputanim"
!define HKCU_HANDLE 0x80000001
!define READ_AND_WRITE 0x2001F

Page directory
Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

; Reads the user's PATH into a buffer, because it may be longer than strings of NSIS, which would cut
; it. $0 is the key, $1 the type of the value, $3 the text with ";" before it, $5 the bytes of the buffer.
!macro OpenPath
  System::Call 'advapi32::RegCreateKeyExW(p ${HKCU_HANDLE}, w "Environment", i 0, p 0, i 0, i ${READ_AND_WRITE}, p 0, *p .r0, p 0) i .r4'
  StrCpy $1 2 ; REG_EXPAND_SZ, if there is no PATH yet
  StrCpy $2 0
  System::Call 'advapi32::RegQueryValueExW(p r0, w "Path", p 0, *i .r6, p 0, *i .r2) i .r4'
  ${If} $4 = 0
    StrCpy $1 $6
  ${Else}
    StrCpy $2 0
  ${EndIf}
  ; The buffer is filled with zeros, and has space for ";" before and the new folder behind the text.
  IntOp $5 $2 + 4096
  System::Alloc $5
  Pop $3
  System::Call 'kernel32::lstrcpyW(p r3, w ";")'
  ${If} $4 = 0
    IntPtrOp $7 $3 + 2
    System::Call 'advapi32::RegQueryValueExW(p r0, w "Path", p 0, p 0, p r7, *i r2)'
  ${EndIf}
!macroend

; Writes the text after its first ";" as PATH, or removes PATH if nothing is left.
!macro ClosePath
  IntPtrOp $7 $3 + 2
  System::Call 'kernel32::lstrlenW(p r7) i .r8'
  ${If} $8 = 0
    System::Call 'advapi32::RegDeleteValueW(p r0, w "Path")'
  ${Else}
    IntOp $8 $8 + 1
    IntOp $8 $8 * 2
    System::Call 'advapi32::RegSetValueExW(p r0, w "Path", i 0, i r1, p r7, i r8)'
  ${EndIf}
  System::Free $3
  System::Call 'advapi32::RegCloseKey(p r0)'
  SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=5000
!macroend

; Finds ";$INSTDIR" in PATH as a complete entry: $6 is its address, or 0.
!macro FindInPath
  StrLen $9 ";$INSTDIR"
  IntOp $9 $9 * 2
  StrCpy $7 $3
  ${Do}
    System::Call 'shlwapi::StrStrIW(p r7, w ";$INSTDIR") p .r6'
    ${If} $6 P= 0
      ${Break}
    ${EndIf}
    IntPtrOp $7 $6 + $9
    System::Call '*$7(&i2 .r8)'
    ; Another entry may begin with the same folder.
    ${If} $8 = 0
    ${OrIf} $8 = 59
      ${Break}
    ${EndIf}
  ${Loop}
!macroend

Section
  SetOutPath $INSTDIR
  File /r "${FILES}/*"
  WriteUninstaller "$INSTDIR\uninstall.exe"

  !insertmacro OpenPath
  !insertmacro FindInPath
  ${If} $6 P= 0
    System::Call 'kernel32::lstrlenW(p r3) i .r8'
    ${If} $8 > 1
      System::Call 'kernel32::lstrcatW(p r3, w ";$INSTDIR")'
    ${Else}
      System::Call 'kernel32::lstrcatW(p r3, w "$INSTDIR")'
    ${EndIf}
  ${EndIf}
  !insertmacro ClosePath

  WriteRegStr HKCU "${CLASSES}\${PROGRAM}" "" "MRTK input animation"
  WriteRegStr HKCU "${CLASSES}\${PROGRAM}\shell\open" "FriendlyAppName" "inputanim"
  WriteRegStr HKCU "${CLASSES}\${PROGRAM}\shell\open\command" "" '"$INSTDIR\inputanim.exe" "%1"'
  WriteRegStr HKCU "${CLASSES}\.bin\OpenWithProgids" "${PROGRAM}" ""

  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "inputanim"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
SectionEnd

Section Uninstall
  ; Only files that were installed are removed: the folder may contain recordings.
  !include "${UNINSTALL_LIST}"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"

  !insertmacro OpenPath
  !insertmacro FindInPath
  ${If} $6 P<> 0
    ; $7 is the address behind the entry. The rest of the text moves over the entry.
    System::Call 'kernel32::lstrlenW(p r7) i .r8'
    IntOp $8 $8 + 1
    IntOp $8 $8 * 2
    System::Call 'kernel32::RtlMoveMemory(p r6, p r7, p r8)'
  ${EndIf}
  !insertmacro ClosePath

  DeleteRegKey HKCU "${CLASSES}\${PROGRAM}"
  DeleteRegValue HKCU "${CLASSES}\.bin\OpenWithProgids" "${PROGRAM}"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.bin\OpenWithProgids"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.bin"
  DeleteRegKey HKCU "${UNINSTALL}"
SectionEnd
