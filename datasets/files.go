package datasets

// Files finds data files: each directory is searched in order (DESIGN: --data, $PPDP_DATA, ./data,
// the user's cache directory).
type Files struct {
	Dirs []string
}
