package publish

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ppdp/datasets"
	"ppdp/internal/must"
)

// SignatureFile is the Ed25519 signature of CertificateFile, 64 bytes. The certificate has the
// digests of all other files.
const SignatureFile = "certificate.sig"

// Types of PEM blocks, as openssl writes them: PKCS #8 and PKIX.
const privateBlock, publicBlock = "PRIVATE KEY", "PUBLIC KEY"

// NewKey makes a pair of keys: path is the private one, path.pub the public one. Neither may exist.
func NewKey(path string) error {
	_, key, err := ed25519.GenerateKey(nil) // of the operating system's randomness
	if err != nil {
		return err
	}
	private := must.Get(x509.MarshalPKCS8PrivateKey(key)) // as any key of this kind
	public := must.Get(x509.MarshalPKIXPublicKey(key.Public()))
	write := func(name string, mode fs.FileMode, block *pem.Block) error {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return err
		}
		return errors.Join(pem.Encode(f, block), f.Sync(), f.Close())
	}
	if err := write(path, 0o600, &pem.Block{Type: privateBlock, Bytes: private}); err != nil {
		return err
	}
	return write(path+".pub", 0o666, &pem.Block{Type: publicBlock, Bytes: public})
}

// readKey reads a key of a PEM file.
func readKey[K ed25519.PrivateKey | ed25519.PublicKey](path, kind string,
	parse func([]byte) (any, error)) (key K, err error) {
	text, err := datasets.ReadFile(path, 1<<16)
	if err != nil {
		return key, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != kind {
		return key, fmt.Errorf("%s: no %s in PEM, as `ppdp key` or openssl writes it", path, kind)
	}
	parsed, err := parse(block.Bytes)
	if err != nil {
		return key, fmt.Errorf("%s: %w", path, err)
	}
	key, ok := parsed.(K)
	if !ok {
		return key, fmt.Errorf("%s: a key of another kind, must be Ed25519", path)
	}
	return key, nil
}

// CheckSignature reports why the signature of a folder is not one of the public key in a file.
func (r *Report) CheckSignature(dir, public string) error {
	key, err := readKey[ed25519.PublicKey](public, publicBlock, x509.ParsePKIXPublicKey)
	if err != nil {
		return err
	}
	text, err := readPart(dir, CertificateFile)
	if err != nil {
		return err
	}
	signature, err := readPart(dir, SignatureFile)
	var problem error
	if errors.Is(err, fs.ErrNotExist) {
		problem = fmt.Errorf("%s: no such file: the release is not signed", SignatureFile)
	} else if err != nil {
		return err
	} else if !ed25519.Verify(key, text, signature) {
		problem = fmt.Errorf("%s: not of the certificate by this key", SignatureFile)
	}
	r.Unchecked = []string{}
	r.check("The certificate is signed with the key of "+public+".", problem)
	return nil
}
