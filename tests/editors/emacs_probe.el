;;; emacs_probe.el --- Takes an AI edit with eglot  -*- lexical-binding: t; -*-

;;; Commentary:
;; Takes the AI edit at the instruction comment, saves the document, undoes once, writes what that gave elsewhere.
;; eglot's own commands run; only the answers that a person would type are given by functions.

;;; Code:
(require 'cl-lib)
(require 'eglot)
(require 'json)

(defun probe-await (what seconds condition)
  "Let processes run until CONDITION holds; fail after SECONDS for want of WHAT."
  (let ((end (+ (float-time) seconds)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (error "Waited %s s in vain for %s" seconds what))
      (accept-process-output nil 0.02))))

(defun probe-choose (_prompt menu &rest _)
  "Choose the AI edit among the actions of MENU."
  (or (cl-find-if (lambda (title) (string-prefix-p "AI edit: " title)) (mapcar #'car menu))
      (error "No AI edit among %S" (mapcar #'car menu))))

(defun probe-has-instruction ()
  "Say whether the buffer still holds an instruction comment."
  (save-excursion (goto-char (point-min)) (search-forward "ai:" nil t)))

(defun probe-take-edit ()
  "Take the AI edit in the current buffer."
  (apply #'eglot (eglot--guess-contact))
  (goto-char (probe-has-instruction))
  (undo-boundary)
  (cl-letf (((symbol-function 'completing-read) #'probe-choose)
            ((symbol-function 'y-or-n-p) (lambda (&rest _) t)) ; "Server wants to edit: ... Proceed?"
            (last-nonmenu-event ?a))                           ; else eglot would open a menu with the mouse
    (eglot-code-actions (point) (point) nil t)
    (probe-await "the edit" 20 (lambda () (not (probe-has-instruction)))))
  (save-buffer)
  (undo-boundary)
  (undo)
  (write-region (point-min) (point-max) (getenv "COPYSPAN_UNDONE"))
  (eglot-shutdown (eglot-current-server)))

(defun probe-show-logs ()
  "Print what eglot logged, the server's standard error with it."
  (dolist (buffer (buffer-list))
    (when (string-match-p "EGLOT" (buffer-name buffer))
      (message "--- %s\n%s" (buffer-name buffer) (with-current-buffer buffer (buffer-string))))))

(setq user-emacs-directory (expand-file-name ".emacs.d/" (getenv "HOME")))
(make-directory user-emacs-directory t)
(setq eglot-server-programs `((python-mode . ,(append (json-parse-string (getenv "COPYSPAN_SERVER")) nil))))
(condition-case problem
    (with-current-buffer (find-file (getenv "COPYSPAN_DOCUMENT"))
      (setq-local require-final-newline nil) ; the tests compare whole files
      (buffer-enable-undo)
      (probe-take-edit))
  (error
   (probe-show-logs)
   (message "%s" (error-message-string problem))
   (kill-emacs 1)))
(kill-emacs 0)
;;; emacs_probe.el ends here
